// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/modular_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "ops/fused_moe/quantised_experts.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::fused_moe {
namespace {

std::string_view name_of(Format format) {
    return format == Format::Standard ? "Standard" : "BatchedExperts";
}

std::string_view name_of(Quantisation quantisation) {
    switch (quantisation) {
        case Quantisation::None:
            return "bfloat16";
        case Quantisation::WeightBfp4:
            return "bfp4_b weights";
        case Quantisation::WeightBfp8:
            return "bfp8_b weights";
        case Quantisation::Fp8Tensor:
            return "fp8 per tensor";
        case Quantisation::Fp8Static:
            return "fp8 with static scales";
        case Quantisation::Fp8Token:
            return "fp8 per token";
        case Quantisation::Fp8Block:
            return "fp8 in blocks";
        case Quantisation::Int8:
            return "int8";
        case Quantisation::Mxfp4:
            return "mxfp4";
        case Quantisation::Nvfp4:
            return "nvfp4";
        case Quantisation::WeightInt8:
            return "int8 weights";
        case Quantisation::WeightInt4:
            return "int4 weights";
    }
    return "?";
}

bool takes(IdsType type, DataFormat format) {
    return type == IdsType::Any || (type == IdsType::Int32) == (format == DataFormat::Int32);
}

/// Returns the third role, on which the two agree.
const WeightAndReduce& weight_and_reduce(const PrepareAndFinalize& prepare_finalize,
                                         const Experts& experts) {
    const WeightAndReduce* asked = find_weight_and_reduce(experts.finalize_weight_and_reduce);
    // A row of the table that names no such role is a mistake of the table.
    ensure(asked != nullptr, "experts {}: no weight and reduce {}", experts.name,
           experts.finalize_weight_and_reduce);
    // Experts may leave the choice to prepare/finalize, as vLLM's TopKWeightAndReduceDelegate.
    if (asked->apply == nullptr) {
        asked = find_weight_and_reduce(prepare_finalize.delegate);
    }
    ensure(asked != nullptr && asked->apply != nullptr, "prepare/finalize {}: delegates to {}",
           prepare_finalize.name, prepare_finalize.delegate);
    return *asked;
}

std::string number(std::uint32_t value) {
    return std::to_string(value);
}

/// Takes this device's part of the batch, filled up with tokens that choose no expert.
void take_own_tokens(Layer& layer, Steps& steps) {
    const auto part = [&](const std::string& tensor, const char* name, const char* fill) {
        // Stride and rows are equal: device d starts at token d * rows.
        return steps.add("slice_rows", name, {tensor},
                         {{"rows", number(layer.rank_tokens())},
                          {"stride", number(layer.rank_tokens())},
                          {"fill", fill}});
    };
    layer.a = part(layer.a, "own_tokens", "0");
    layer.topk_ids = part(layer.topk_ids, "own_ids", kNoExpert);
    layer.topk_weights = part(layer.topk_weights, "own_weights", "0");
}

/// Turns ids of experts into their places, which are contiguous on every device whatever the map.
void take_places(Layer& layer, Steps& steps) {
    const std::string ids =
        steps.add("moe_place_ids", std::vector<std::string>{"place_ids", "place_map"},
                  {layer.topk_ids, "expert_places"}, {{"slots", number(layer.local_experts)}});
    layer.topk_ids = ids;
    layer.expert_map = steps.tensor("place_map");
    layer.experts = layer.ranks * layer.local_experts;
}

/// Joins the parts of all devices, one after the other, without the tokens that fill them up.
std::string join_parts(const Layer& layer, const std::string& own, Steps& steps) {
    const std::string all = steps.add("all_gather", "all_tokens", {own});
    // Devices have equally many tokens; what fills up the last one is cut off.
    return layer.ranks * layer.rank_tokens() == layer.tokens
               ? all
               : steps.add("slice_rows", "trimmed", {all}, {{"rows", number(layer.tokens)}});
}

std::string apply_experts(const PrepareAndFinalize& prepare_finalize, const Experts& experts,
                          const Layer& layer, const Dispatched& tokens, Steps& steps) {
    // Both roles add steps to the same list; nothing runs here.
    const ExpertOutput output = experts.apply(layer, tokens, steps);
    return weight_and_reduce(prepare_finalize, experts).apply(layer, tokens, output, steps);
}

/// Adds the expert that takes every token, and its sum with those of the others.
std::string add_shared_expert(const Layer& layer, const std::string& tokens,
                              const std::string& routed, Steps& steps) {
    // The same as masked products of one expert, whose counts are all tokens.
    const std::string gate_up = steps.add("masked_mm", "shared_gate_up", {tokens, "shared_w1"});
    const std::string activated =
        steps.add("activation", "shared_activated", {gate_up}, activation_settings(layer));
    const std::string shared = steps.add("masked_mm", "shared_out", {activated, "shared_w2"});
    const std::string sum = steps.add("eltwise", "with_shared_tiles",
                                      {steps.add("to_layout", "routed_tiles", {routed}),
                                       steps.add("to_layout", "shared_tiles", {shared})},
                                      {{"function", "add"}});
    return steps.add("to_layout", "with_shared", {sum});
}

/// Applies the experts to some tokens after others and joins their sums.
std::string apply_in_chunks(const PrepareAndFinalize& prepare_finalize, const Experts& experts,
                            const Layer& layer, const Dispatched& tokens,
                            std::uint32_t chunk_tokens, Steps& steps) {
    std::string whole;
    for (std::uint32_t first = 0; first < tokens.tokens; first += chunk_tokens) {
        const std::uint32_t count = std::min(chunk_tokens, tokens.tokens - first);
        // Names of a chunk's tensors carry its number, since all chunks are steps of one list.
        steps.name_with(fmt::format("chunk{}_", first / chunk_tokens));
        // Rows that no device has sent choose no expert.
        const auto part = [&](const std::string& tensor, const char* name, const char* fill) {
            std::vector<std::string> inputs{tensor};
            if (!tokens.num_tokens.empty()) {
                inputs.push_back(tokens.num_tokens);
            }
            return steps.add("slice_rows", name, std::move(inputs),
                             {{"rows", number(count)}, {"first", number(first)}, {"fill", fill}});
        };
        Dispatched chunk = tokens;
        // Slices know the number of tokens already.
        chunk.num_tokens = "";
        chunk.activations = part(tokens.activations, "tokens", "0");
        if (has_row_scales(layer, tokens)) {
            chunk.scales = part(tokens.scales, "scales", "0");
        }
        chunk.ids = part(tokens.ids, "ids", kNoExpert);
        chunk.weights = part(tokens.weights, "weights", "0");
        chunk.tokens = count;
        const std::string sum = apply_experts(prepare_finalize, experts, layer, chunk, steps);
        const Settings place{{"rows", number(tokens.tokens)}, {"first", number(first)}};
        steps.name_with("");
        const std::string step = fmt::format("chunks_{}", first / chunk_tokens);
        // The first chunk makes the whole tensor, the others write into it.
        whole = first == 0 ? steps.add("put_rows", "chunks", {sum}, place)
                           : steps.add_into("put_rows", step, whole, {sum, whole}, place);
    }
    return whole;
}

/// Weighs and quantises the rows of the layer where the pair does so before its dispatch.
void prepare_rows(const PrepareAndFinalize& prepare_finalize, const Experts& experts, Layer& layer,
                  Steps& steps) {
    // moe_sum weighs and needs no own op: with one choice the sum is the product.
    if (layer.apply_router_weight_on_input) {
        layer.a = steps.add("moe_sum", "weighted_tokens",
                            {layer.a, layer.topk_ids, layer.topk_weights}, {{"rows", "presence"}});
    }
    // Once a layer, before any chunk.
    if (experts.load != nullptr) {
        experts.load(layer, steps);
    }
    if (prepare_finalize.sends_codes) {
        const CodedRows codes = travelling_rows(layer, layer.a, steps);
        layer.a = codes.codes;
        layer.a_scales = codes.scales;
    }
}

/// Returns the reason why the experts do not take weights in this format; nothing if they do.
/// Experts that are made for one kind of codes are judged by refusal().
std::optional<std::string> weights_refusal(const Experts& experts, const WeightFormat* format) {
    if (format == nullptr || format->is_bfloat16() || experts.made_for != Quantisation::None ||
        (experts.has_expert_products && experts.load == nullptr)) {
        return std::nullopt;
    }
    return fmt::format(
        "is {}, which {}; allowed with quantisation {}: experts without codes of their own, such "
        "as grouped, grouped_permuted or batched_masked",
        experts.name,
        experts.load == nullptr ? "takes bfloat16 weights" : "quantises bfloat16 weights",
        format->name);
}

}  // namespace

bool can_be_sent(Quantisation quantisation) {
    // One scale for all rows of a device says nothing about rows of another one.
    constexpr std::array kSent{Quantisation::Fp8Static, Quantisation::Fp8Token,
                               Quantisation::Fp8Block,  Quantisation::Int8,
                               Quantisation::Mxfp4,     Quantisation::Nvfp4};
    return std::ranges::find(kSent, quantisation) != kSent.end();
}

std::optional<std::string> refusal(const PrepareAndFinalize& prepare_finalize,
                                   const Experts& experts, const Demands& demands) {
    if (prepare_finalize.activation_format != experts.activation_format) {
        return fmt::format("formats: {} gives {}, {} takes {}", prepare_finalize.name,
                           name_of(prepare_finalize.activation_format), experts.name,
                           name_of(experts.activation_format));
    }
    if (experts.made_for != Quantisation::None && experts.made_for != demands.codes()) {
        return fmt::format(
            "weights: {} takes codes of {} only; set quantisation to {}, or choose other experts",
            experts.name, name_of(experts.made_for),
            fmt::join(weight_formats_of(experts.made_for), " or "));
    }
    const Quantisation quantisation = quantisation_of(experts, demands);
    if (prepare_finalize.sends_codes && !can_be_sent(quantisation)) {
        return fmt::format("quantisation: {} dispatches codes with scales of rows, {} takes {}",
                           prepare_finalize.name, experts.name, name_of(quantisation));
    }
    if (!takes(prepare_finalize.topk_indices, demands.topk_indices)) {
        return fmt::format("dtype of indices: {} takes {}, topk_ids are {}", prepare_finalize.name,
                           prepare_finalize.topk_indices == IdsType::Int32 ? "int32" : "uint32",
                           tessera::name_of(demands.topk_indices));
    }
    if (demands.is_chunked && !experts.supports_chunking) {
        return fmt::format("chunking: {} takes all tokens at once", experts.name);
    }
    // Batches are of the device's own experts, so that only the standard format needs a map.
    if (demands.ranks > 1 && experts.activation_format == Format::Standard &&
        !experts.supports_expert_map) {
        return fmt::format("expert map: {} takes none, which {} devices need", experts.name,
                           demands.ranks);
    }
    return std::nullopt;
}

std::vector<KeyRefusal> layer_refusals(const PrepareAndFinalize& prepare_finalize,
                                       const Experts& experts, const Demands& demands) {
    std::vector<KeyRefusal> refusals;
    const auto refuse_if = [&](bool is_refused, std::string_view key, std::string reason) {
        if (is_refused) {
            refusals.push_back({key, std::move(reason)});
        }
    };
    const auto pair = refusal(prepare_finalize, experts, demands);
    refuse_if(pair.has_value(), "experts", pair.value_or(""));
    const auto weights = weights_refusal(experts, demands.weights);
    refuse_if(weights.has_value(), "experts", weights.value_or(""));
    refuse_if(demands.has_bias && !experts.has_expert_products, "experts",
              fmt::format("is {}, which takes no bias", experts.name));
    const bool is_special = experts.made_for != Quantisation::None;
    refuse_if(is_special && demands.activation != Activation::Silu, "activation",
              fmt::format("is {}; allowed with {}: silu",
                          config::Value<Activation>::show(demands.activation), experts.name));
    // The weighted sum is part of such products.
    refuse_if(is_special && demands.weighs_inputs, "apply_router_weight_on_input",
              fmt::format("is true; allowed with {}: false", experts.name));
    return refusals;
}

std::vector<PartStep> modular_kernel(const PrepareAndFinalize& prepare_finalize,
                                     const Experts& experts, Layer layer,
                                     std::uint32_t chunk_tokens) {
    Steps steps;
    const std::string tokens_of_layer = layer.a;
    const bool dispatches = prepare_finalize.reduction == Reduction::Finalize && layer.ranks > 1;
    // Each device takes its part of the batch, as ranks with data parallelism have it.
    if (dispatches && !layer.has_own_tokens) {
        take_own_tokens(layer, steps);
    }
    if (need_contiguous_experts(prepare_finalize, experts) && layer.has_expert_places) {
        take_places(layer, steps);
    }
    prepare_rows(prepare_finalize, experts, layer, steps);
    Dispatched tokens = prepare_finalize.prepare(layer, steps);
    widen_received(layer, tokens, steps);
    const bool is_chunked = chunk_tokens != 0 && chunk_tokens < tokens.tokens;
    const std::string partial =
        is_chunked ? apply_in_chunks(prepare_finalize, experts, layer, tokens, chunk_tokens, steps)
                   : apply_experts(prepare_finalize, experts, layer, tokens, steps);
    std::string out = prepare_finalize.finalize(layer, partial, steps);
    // Dispatched rows have come back to their device. Without a dispatch each device has a part of
    // every token's sum.
    if (dispatches) {
        out = layer.has_own_tokens ? out : join_parts(layer, out, steps);
    } else if (layer.ranks > 1) {
        out = steps.add("all_reduce", "summed", {out});
    }
    if (layer.has_shared_expert) {
        out = add_shared_expert(layer, tokens_of_layer, out, steps);
    }
    // The last step's tensor is the op's output, whatever step it was.
    steps.rename(out, "out");
    return steps.take();
}

Dispatched dispatched(const PrepareAndFinalize& prepare_finalize, const Layer& layer) {
    // For shapes only: the steps are thrown away.
    Steps steps;
    return prepare_finalize.prepare(layer, steps);
}

}  // namespace tessera::ops::fused_moe
