// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/fused_moe.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "emu/base/fields/nearest.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "tessera/errors.hpp"

namespace tessera::ops::fused_moe {
namespace {

using config::field;
using config::Limits;

consteval std::size_t operand(std::string_view name) {
    std::size_t place = 0;
    while (kInputs.at(place).name != name) {
        ++place;
    }
    return place;
}

// Operands whose values are checked, and optional ones.
constexpr std::size_t kW1 = operand("w1");
constexpr std::size_t kW2 = operand("w2");
constexpr std::size_t kTopkIds = operand("topk_ids");
constexpr std::size_t kExpertMap = operand("expert_map");
constexpr std::size_t kSharedW1 = operand("shared_w1");
constexpr std::size_t kSharedW2 = operand("shared_w2");
constexpr std::size_t kExpertPlaces = operand("expert_places");
// Of weights in codes; those of w2 follow those of w1, as w2 follows w1.
constexpr std::size_t kW1Scale = operand("w1_scale");
constexpr std::size_t kW2Scale = operand("w2_scale");
constexpr std::size_t kW1ZeroPoints = operand("w1_zp");
constexpr std::size_t kW2ZeroPoints = operand("w2_zp");
constexpr std::size_t kA1Scale = operand("a1_scale");
constexpr std::size_t kA2Scale = operand("a2_scale");
constexpr std::size_t kW1Bias = operand("w1_bias");
constexpr std::size_t kW2Bias = operand("w2_bias");

constexpr std::array kFields{
    field<&MoeSpec::pf>(
        "pf", config::kRequired,
        "prepare/finalize: how tokens reach the experts; auto: by devices and tokens "
        "(`tessera moe explain`)"),
    field<&MoeSpec::experts>("experts", config::kRequired,
                             "how experts compute; auto: those that fit pf"),
    field<&MoeSpec::quantisation>("quantisation", "none", "how w1 and w2 are stored"),
    field<&MoeSpec::activation>("activation", "silu",
                                "activation with a gate, or without one (no_mul)"),
    field<&MoeSpec::alpha>("alpha", "1.702", "alpha of swigluoai"),
    field<&MoeSpec::limit>("limit", "7", "limit of swigluoai"),
    field<&MoeSpec::apply_router_weight_on_input>(
        "apply_router_weight_on_input", "false",
        "multiply tokens, not outputs of experts, by their weights; needs top_k 1"),
    field<&MoeSpec::block_size>("block_size", "32", "rows of a block of an expert", Limits{1, 128}),
    field<&MoeSpec::chunk_tokens>(
        "chunk_tokens", "0", "tokens that the experts process at once; 0: all", Limits{0, 1048576}),
    field<&MoeSpec::max_num_tokens>("max_num_tokens", "0",
                                    "rows of each device's tokens that an expert has room for; "
                                    "choices beyond are dropped; 0: all tokens",
                                    Limits{0, 1048576}),
    field<&MoeSpec::tokens>("tokens", "batch",
                            "what each device has: the batch, the same on all, or tokens of its "
                            "own, as many as the others, to which experts of devices outside of "
                            "the group may add elsewhere"),
};

bool is_gated(Activation activation) {
    return row_activation(activation, 0, 0).gate != GatePlace::None;
}

/// Matrices in w1 whose scale blocks start at their own first row: gate and up, one after the other.
std::uint32_t w1_parts(const MoeSpec& spec) {
    const bool is_split = row_activation(spec.activation, 0, 0).gate == GatePlace::First;
    return is_split && spec.quantisation.row->scale_of == ScaleOf::Block ? 2 : 1;
}

/// What decides which parts go together. A chunk that holds all tokens is no chunk.
Situation situation_of(const MoeSpec& spec, std::uint32_t tokens, std::uint32_t ranks,
                       DataFormat ids) {
    return {.demands = {ranks, ids, spec.chunk_tokens != 0 && spec.chunk_tokens < tokens,
                        spec.quantisation.row->quantisation},
            .tokens = tokens,
            .prepare_finalize = spec.pf.row,
            .experts = spec.experts.row};
}

/// The parameters, with the rows that auto stands for.
MoeSpec with_pair(MoeSpec spec, const Selection& selection) {
    spec.pf.row = selection.prepare_finalize;
    spec.experts.row = selection.experts;
    return spec;
}

MoeSpec chosen_spec(const OpContext& context) {
    const auto& spec = context.params<MoeSpec>();
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    return with_pair(spec, selection_of(context.inputs, ranks, spec));
}

/// Keys that some rows of the tables take: each is given two values of an own layer.
struct PartialKey {
    std::string_view key;
    void (*set)(Layer& layer, bool is_other);
};
constexpr std::array kPartialKeys{
    PartialKey{"alpha", [](Layer& layer, bool is_other) { layer.alpha = is_other ? 1 : 2; }},
    PartialKey{"limit", [](Layer& layer, bool is_other) { layer.limit = is_other ? 1 : 2; }},
    PartialKey{"block_size",
               [](Layer& layer, bool is_other) { layer.block_size = is_other ? 4 : 8; }},
    PartialKey{"max_num_tokens",
               [](Layer& layer, bool is_other) { layer.max_num_tokens = is_other ? 1 : 2; }},
};

/// Keys that change no step of this layer. The steps themselves say so: a row that joins the tables
/// needs no list.
std::vector<std::string_view> untaken_by(const MoeSpec& spec, const Layer& layer) {
    const auto steps = [&](const PartialKey& key, bool is_other) {
        Layer changed = layer;
        key.set(changed, is_other);
        return modular_kernel(*spec.pf.row, *spec.experts.row, changed, spec.chunk_tokens);
    };
    // Both values are tried on the steps; equal steps mean that the key changes nothing.
    std::vector<std::string_view> untaken;
    for (const PartialKey& key : kPartialKeys) {
        if (std::ranges::equal(steps(key, false), steps(key, true), {}, &PartStep::set,
                               &PartStep::set)) {
            untaken.push_back(key.key);
        }
    }
    return untaken;
}

/// The rule that an operand is there as its format asks for it.
void judge_presence(const OpContext& context, std::size_t operand, bool is_needed, bool is_allowed,
                    RuleJudge& judge) {
    const std::string_view format = context.params<MoeSpec>().quantisation.row->name;
    judge.require(!is_needed || context.has(operand), kInputs[operand].name,
                  fmt::format("is missing; required with quantisation {}", format));
    judge.require(is_allowed || !context.has(operand), kInputs[operand].name,
                  fmt::format("is given; quantisation {} has none", format));
}

/// The rules of one of the two weights: the format of its codes, its scales and zero points.
void judge_codes(const OpContext& context, std::size_t weights, std::uint32_t parts,
                 RuleJudge& judge) {
    const WeightFormat& format = *context.params<MoeSpec>().quantisation.row;
    const std::size_t scale = weights - kW1 + kW1Scale;
    const std::size_t zero_points = weights - kW1 + kW1ZeroPoints;
    const TensorSpec& codes = context.inputs[weights].spec;
    judge.require(codes.format == format.codes, kInputs[weights].name,
                  fmt::format("is {}; allowed with quantisation {}: {}", name_of(codes.format),
                              format.name, name_of(format.codes)));
    const bool has_scales = format.scale_of != ScaleOf::Nothing;
    judge_presence(context, scale, has_scales, has_scales, judge);
    judge_presence(context, zero_points, false, format.may_have_zero_points, judge);
    if (!has_scales || !context.has(scale)) {
        return;
    }
    const TensorSpec& scales = context.inputs[scale].spec;
    judge.require(scales.format == format.scales, kInputs[scale].name,
                  fmt::format("is {}; allowed with quantisation {}: {}", name_of(scales.format),
                              format.name, name_of(format.scales)));
    std::vector<std::string> allowed;
    const std::vector<Shape> shapes = scale_shapes(format, codes.shape, parts);
    std::ranges::transform(shapes, std::back_inserter(allowed),
                           [](const Shape& shape) { return to_string(shape); });
    judge.require(std::ranges::find(shapes, scales.shape) != shapes.end(), kInputs[scale].name,
                  fmt::format("is {}; allowed with quantisation {} and {} of {}: {}",
                              to_string(scales.shape), format.name, kInputs[weights].name,
                              to_string(codes.shape), fmt::join(allowed, ", ")));
    judge.require(
        !context.has(zero_points) || context.inputs[zero_points].spec.shape == scales.shape,
        kInputs[zero_points].name,
        fmt::format(
            "is {}; allowed: {}, the shape of {}",
            context.has(zero_points) ? to_string(context.inputs[zero_points].spec.shape) : "",
            to_string(scales.shape), kInputs[scale].name));
}

/// The rules of weights in codes and of biases.
void judge_weights(const OpContext& context, const Layer& layer, RuleJudge& judge) {
    const MoeSpec spec = chosen_spec(context);
    const WeightFormat& format = *spec.quantisation.row;
    const Experts& experts = *spec.experts.row;
    const bool has_codes = format.scale_of != ScaleOf::Nothing;
    judge.require(
        !has_codes || (experts.has_expert_products && experts.load == nullptr), "experts",
        fmt::format(
            "is {}, which {}; allowed with quantisation {}: experts without codes "
            "of their own, such as grouped, grouped_permuted or batched_masked",
            experts.name,
            experts.load == nullptr ? "takes bfloat16 weights" : "quantises bfloat16 weights",
            format.name));
    judge.require(experts.has_expert_products || (!context.has(kW1Bias) && !context.has(kW2Bias)),
                  "experts", fmt::format("is {}, which takes no bias", experts.name));
    judge.require(
        context.inputs[kW1].spec.shape[2] * format.codes_a_byte == layer.hidden, "w1",
        fmt::format("has {} columns; allowed with quantisation {} and {} columns of a: {}",
                    context.inputs[kW1].spec.shape[2], format.name, layer.hidden,
                    layer.hidden / format.codes_a_byte));
    judge_codes(context, kW1, layer.w1_parts, judge);
    judge_codes(context, kW2, 1, judge);
    for (const std::size_t scale : {kA1Scale, kA2Scale}) {
        judge_presence(context, scale, format.has_static_scales, format.has_static_scales, judge);
    }
}

void rules(const OpContext& context, RuleJudge& judge) {
    const MoeSpec spec = chosen_spec(context);
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    const Layer layer = layer_of(context.inputs, ranks, spec);
    const auto reason = refusal(
        *spec.pf.row, *spec.experts.row,
        situation_of(spec, layer.tokens, ranks, context.inputs[kTopkIds].spec.format).demands);
    judge.require(!reason, "experts", reason ? *reason : "");
    // An unsupported pair has no steps to compare.
    if (!reason) {
        judge_untaken(kFields, &spec, untaken_by(spec, layer),
                      fmt::format("{} with {} and {}", spec.pf.row->name, spec.experts.row->name,
                                  config::Value<Activation>::show(spec.activation)),
                      judge);
    }
    // Without a dispatch every device computes the same batch, so that own tokens would be lost.
    judge.require(
        spec.tokens == Tokens::Batch || ranks == 1 || spec.pf.row->reduction == Reduction::Finalize,
        "tokens",
        fmt::format("is own; {} takes tokens that all devices have; allowed: batch",
                    spec.pf.row->name));
    judge.require(!spec.apply_router_weight_on_input || layer.top_k == 1,
                  "apply_router_weight_on_input",
                  fmt::format("is true; allowed with {} choices a token: false", layer.top_k));
    const std::uint32_t rows = layer.intermediate * (is_gated(spec.activation) ? 2 : 1);
    judge.require(layer.gate_up == rows, "w1",
                  fmt::format("has {} rows an expert; allowed with activation {} and w2 of {} "
                              "columns: {}",
                              layer.gate_up, config::Value<Activation>::show(spec.activation),
                              layer.intermediate, rows));
    judge.require(context.has(kSharedW1) == context.has(kSharedW2),
                  context.has(kSharedW1) ? "shared_w2" : "shared_w1",
                  fmt::format("is missing; required with {}",
                              context.has(kSharedW1) ? "shared_w1" : "shared_w2"));
    judge_weights(context, layer, judge);
    // Experts of devices outside of the group add nothing: their sums are joined elsewhere.
    // Contiguous dispatches send to the device of an expert by its number; no expert may be missing
    // there.
    const bool may_lack_experts = layer.has_own_tokens && !spec.pf.row->needs_contiguous_experts;
    const std::uint32_t slots = layer.local_experts * ranks;
    judge.require(may_lack_experts || layer.experts <= slots, "expert_map",
                  fmt::format("has {} entries; allowed: up to {}, {} experts on each of {} devices",
                              layer.experts, slots, layer.local_experts, ranks));
    judge.require(
        !spec.pf.row->needs_contiguous_experts || layer.has_expert_places || layer.experts >= slots,
        "expert_places",
        fmt::format("is missing; required with {} for {} experts in {} slots of {} "
                    "devices",
                    spec.pf.row->name, layer.experts, slots, ranks));
}

std::vector<PartStep> parts(const OpContext& context) {
    const MoeSpec spec = chosen_spec(context);
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    return modular_kernel(*spec.pf.row, *spec.experts.row, layer_of(context.inputs, ranks, spec),
                          spec.chunk_tokens);
}

/// The weights of one expert, wherever they are, as numbers.
struct ExpertWeights {
    std::vector<float> w1;
    std::vector<float> w2;
    std::vector<float> w1_bias;
    std::vector<float> w2_bias;
};

/// Matrix `index` of a stack of `count`.
std::vector<float> matrix_of(const std::vector<float>& all, std::size_t index, std::size_t count) {
    const auto size = static_cast<std::ptrdiff_t>(all.size() / count);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(index) * size;
    return {begin, begin + size};
}

/// Numbers of one of the two weights of a device: codes times scales.
std::vector<float> weights_on(const ReferenceContext& context, std::size_t device,
                              std::size_t operand, std::uint32_t parts) {
    const auto plan = [&](std::size_t place, const HostTensor& tensor) {
        return context.has(place) ? TensorPlan{.spec = {tensor.shape, tensor.format}}
                                  : TensorPlan{};
    };
    const auto read = [&](std::size_t place) {
        return context.has(place) ? context.inputs[place][device]->all() : HostTensor{};
    };
    const HostTensor codes = read(operand);
    const HostTensor scales = read(operand - kW1 + kW1Scale);
    const HostTensor points = read(operand - kW1 + kW1ZeroPoints);
    const bool is_packed = codes.format == DataFormat::UInt8;
    const std::uint32_t columns = codes.shape[2] * (is_packed ? 2 : 1);
    const TensorPlan rows{.spec = {{1, columns}, DataFormat::Float16_b}};
    const TensorPlan of_codes{.spec = {codes.shape, codes.format}};
    const TensorPlan of_scales = plan(operand - kW1 + kW1Scale, scales);
    const bool has_scales = !scales.shape.empty();
    const ScaleShape shape = scale_shape(
        {rows, of_codes, has_scales ? &of_scales : nullptr, nullptr, nullptr, nullptr, parts});
    return ops::weights_of(
        {codes, has_scales ? &scales : nullptr, points.shape.empty() ? nullptr : &points}, shape,
        parts, codes.shape[1], columns);
}

std::vector<float> bias_on(const ReferenceContext& context, std::size_t device,
                           std::size_t operand) {
    return context.has(operand) ? floats_of(context.inputs[operand][device]->all())
                                : std::vector<float>();
}

std::vector<ExpertWeights> weights_of(const ReferenceContext& context, std::uint32_t experts) {
    std::vector<ExpertWeights> weights(experts);
    for (std::size_t device = 0; device < context.inputs[kExpertMap].size(); ++device) {
        // Experts may be anywhere: the map of each device says which it has.
        const HostTensor map = context.inputs[kExpertMap][device]->all();
        const ExpertWeights all{
            weights_on(context, device, kW1, w1_parts(context.params<MoeSpec>())),
            weights_on(context, device, kW2, 1), bias_on(context, device, kW1Bias),
            bias_on(context, device, kW2Bias)};
        const std::size_t local = context.inputs[kW1][device]->shape()[0];
        for (std::size_t e = 0; e < experts; ++e) {
            if (const std::int32_t at = map.as<std::int32_t>()[e]; at != kNobody) {
                const auto index = static_cast<std::size_t>(at);
                weights[e] = {matrix_of(all.w1, index, local), matrix_of(all.w2, index, local),
                              matrix_of(all.w1_bias, index, local),
                              matrix_of(all.w2_bias, index, local)};
            }
        }
    }
    return weights;
}

// The reference computes token by token, without dispatch or blocks, and shares no step with the
// kernels.
std::vector<float> product(std::span<const float> row, std::span<const float> weights,
                           const std::vector<float>& bias) {
    std::vector<float> out(weights.size() / row.size());
    product_row(row, weights, 1.0, out);
    if (!bias.empty()) {
        std::ranges::transform(out, bias, out.begin(), std::plus<>());
    }
    return out;
}

void add_choice(const MoeSpec& spec, std::span<const float> token, const ExpertWeights& weights,
                double weight, std::span<double> sum) {
    const std::vector<float> gate_up = product(token, weights.w1, weights.w1_bias);
    std::vector<float> activated(gate_up.size() / (is_gated(spec.activation) ? 2 : 1));
    activation::apply_to_row(row_activation(spec.activation, spec.alpha, spec.limit), gate_up,
                             activated);
    const std::vector<float> down = product(activated, weights.w2, weights.w2_bias);
    for (std::size_t h = 0; h < sum.size(); ++h) {
        sum[h] += weight * static_cast<double>(down[h]);
    }
}

std::vector<float> weighted(std::span<const float> row, float weight) {
    std::vector<float> out(row.begin(), row.end());
    std::ranges::transform(out, out.begin(), [weight](float value) { return weight * value; });
    return out;
}

/// The router's weight scales the token or what the expert makes of it.
void add_routed(const MoeSpec& spec, std::span<const float> token, const ExpertWeights& expert,
                float weight, std::span<double> sum) {
    if (spec.apply_router_weight_on_input) {
        add_choice(spec, weighted(token, weight), expert, 1.0, sum);
    } else {
        add_choice(spec, token, expert, weight, sum);
    }
}

std::vector<HostTensor> reference(const ReferenceContext& context) {
    const auto& spec = context.params<MoeSpec>();
    // Nothing is rounded between the steps; the tolerance covers what the device rounds.
    const std::vector<float> tokens = floats_of(context.read(0));
    const HostTensor ids = context.read(3);
    const HostTensor weights = context.read(4);
    const std::uint32_t experts = context.in(5).shape()[0];
    const std::vector<ExpertWeights> all = weights_of(context, experts);
    const std::optional<ExpertWeights> shared =
        context.has(kSharedW1)
            ? std::optional(ExpertWeights{
                  floats_of(context.read(kSharedW1)), floats_of(context.read(kSharedW2)), {}, {}})
            : std::nullopt;
    const std::size_t hidden = context.in(0).shape()[1];
    const std::size_t top_k = ids.shape[1];
    HostTensor out = make_host_tensor(context.in(0).shape(), DataFormat::Float32);
    for (std::size_t token = 0; token < ids.shape[0]; ++token) {
        // The shared expert takes every token with weight 1.
        std::vector<double> sum(hidden, 0.0);
        if (shared) {
            add_choice(spec, std::span(tokens).subspan(token * hidden, hidden), *shared, 1.0, sum);
        }
        for (std::size_t k = 0; k < top_k; ++k) {
            const std::int32_t id = ids.as<std::int32_t>()[token * top_k + k];
            // Ids out of range choose nobody, as in the kernels.
            const bool is_expert = id >= 0 && static_cast<std::uint32_t>(id) < experts;
            if (is_expert && !all[static_cast<std::size_t>(id)].w1.empty()) {
                add_routed(spec, std::span(tokens).subspan(token * hidden, hidden),
                           all[static_cast<std::size_t>(id)],
                           weights.as<float>()[token * top_k + k], sum);
            }
        }
        std::ranges::transform(sum, out.as<float>().data() + token * hidden,
                               [](double value) { return static_cast<float>(value); });
    }
    return list_of(std::move(out));
}

/// Each expert adds to a token once, so it is on one device. An own batch of tokens may leave
/// experts to devices outside of the group.
void check_each_once(const std::vector<HostTensor>& maps, bool may_lack_experts) {
    for (std::size_t e = 0; e < maps.front().shape[0]; ++e) {
        std::vector<std::size_t> devices;
        for (std::size_t device = 0; device < maps.size(); ++device) {
            if (maps[device].as<std::int32_t>()[e] != kNobody) {
                devices.push_back(device);
            }
        }
        require(
            devices.size() == 1 || (devices.empty() && may_lack_experts),
            "{}: expert_map: expert {} is on {}; allowed: one device", kSpec.name, e,
            devices.empty() ? "no device" : fmt::format("devices {}", fmt::join(devices, " and ")));
    }
}

/// The places are what the maps say.
void check_places(const HostTensor& places, const std::vector<HostTensor>& maps,
                  std::uint32_t slots) {
    for (std::size_t e = 0; e < places.shape[0]; ++e) {
        std::int32_t wanted = kNobody;
        for (std::size_t device = 0; device < maps.size(); ++device) {
            const std::int32_t slot = maps[device].as<std::int32_t>()[e];
            wanted = slot == kNobody ? wanted : static_cast<std::int32_t>(device * slots) + slot;
        }
        require(places.as<std::int32_t>()[e] == wanted,
                "{}: expert_places[{}] is {}; allowed: {}, as expert_map says", kSpec.name, e,
                places.as<std::int32_t>()[e], wanted);
    }
}

void check_contiguous(const PrepareAndFinalize& pf, const HostTensor& map, std::size_t device,
                      std::uint32_t local_experts) {
    for (std::size_t e = 0; e < map.shape[0]; ++e) {
        // Device d must have experts [d * local, (d + 1) * local) in order.
        const std::int32_t wanted =
            e / local_experts == device ? static_cast<std::int32_t>(e % local_experts) : kNobody;
        require(map.as<std::int32_t>()[e] == wanted,
                "{}: expert_map[{}] of device {} is {}; {} sends the tokens of expert {} to "
                "device {}; allowed: {}, or any map with expert_places",
                kSpec.name, e, device, map.as<std::int32_t>()[e], pf.name, e, e / local_experts,
                wanted);
    }
}

/// Products add up to 6 to exponents of mxfp4 (packed_weights.hpp), which have to stay bytes; 255 is
/// no number.
void check_exponents(const ReferenceContext& context) {
    constexpr std::uint8_t kMost = 248;
    for (const std::size_t operand : {kW1Scale, kW2Scale}) {
        if (!context.has(operand)) {
            continue;
        }
        for (const HostTensor& scales : context.read_all(operand)) {
            if (scales.format != DataFormat::UInt8) {
                return;
            }
            const auto codes = scales.as<std::uint8_t>();
            const auto found =
                std::ranges::find_if(codes, [](std::uint8_t code) { return code > kMost; });
            require(found == codes.end(), "{}: {} has the exponent {}; allowed: 0 to {}",
                    kSpec.name, kInputs[operand].name, found == codes.end() ? 0 : *found, kMost);
        }
    }
}

void check_values(const ReferenceContext& context) {
    const auto& given = context.params<MoeSpec>();
    const auto ranks = static_cast<std::uint32_t>(context.inputs[0].size());
    const std::uint32_t tokens =
        context.in(0).shape()[0] * (given.tokens == Tokens::Own ? ranks : 1);
    const HostTensor values = context.read(kTopkIds);
    const Selection pair = select_pair(situation_of(given, tokens, ranks, values.format));
    const PrepareAndFinalize& pf = *pair.prepare_finalize;
    const std::uint32_t local_experts = context.in(1).shape()[0];
    const std::vector<HostTensor> maps = context.read_all(kExpertMap);
    check_exponents(context);
    const NamedTable ids{kInputs[kTopkIds].name, values};
    // Judged before the run: an id steers where a token is sent.
    check_indices(kSpec.name, ids, context.in(kExpertMap).shape()[0], Nobody::Allowed);
    // Batches have room for one row of each token and expert; blocks of rows take any number.
    if (pf.activation_format == Format::BatchedExperts) {
        check_selects_once(fmt::format("{} with {}", kSpec.name, pf.name), ids);
    }
    for (std::size_t device = 0; device < maps.size(); ++device) {
        check_expert_map(kSpec.name, maps[device], local_experts);
        if (pf.needs_contiguous_experts && !context.has(kExpertPlaces)) {
            check_contiguous(pf, maps[device], device, local_experts);
        }
    }
    check_each_once(
        maps, context.params<MoeSpec>().tokens == Tokens::Own && !pf.needs_contiguous_experts);
    if (context.has(kExpertPlaces)) {
        check_places(context.read(kExpertPlaces), maps, local_experts);
    }
}

template <class Row>
std::vector<std::string> names_of(std::span<const Row> rows) {
    std::vector<std::string> names;
    for (const Row& row : rows) {
        names.emplace_back(row.name);
    }
    return names;
}

template <class Row>
config::Mistake no_row(const config::Node& node, std::span<const Row> rows) {
    return {node.origin, fmt::format("{}, allowed: {}, {}", config::describe(node), kAuto,
                                     fmt::join(names_of(rows), ", "))};
}

}  // namespace

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<MoeSpec>(kFields),
        .schedule =
            [](ParameterRef parameters) {
                const auto& spec = parameters.as<MoeSpec>();
                return fmt::format("{}, {}", config::Value<PrepareFinalizeName>::show(spec.pf),
                                   config::Value<ExpertsName>::show(spec.experts));
            },
        .rules = rules,
        .infer = like_first_input,
        .parts = parts,
        .reference = reference,
        .check_values = check_values,
        .checked_inputs = {kTopkIds, kExpertMap, kExpertPlaces, kW1Scale, kW2Scale}};
    return kOp;
}

Selection selection_of(std::span<const TensorPlan> inputs, std::uint32_t ranks,
                       const MoeSpec& spec) {
    return select_pair(situation_of(spec, layer_of(inputs, ranks, spec).tokens, ranks,
                                    inputs[kTopkIds].spec.format));
}

Layer layer_of(std::span<const TensorPlan> inputs, std::uint32_t ranks, const MoeSpec& spec) {
    // Shapes are checked by the contract, so that axes can be read by number.
    const auto shape = [&](std::size_t place) { return inputs[place].spec.shape; };
    // Operands have the names of tensors that steps read.
    const auto name = [&](std::size_t place) {
        return is_given(inputs, place) ? std::string(kInputs[place].name) : "";
    };
    const WeightFormat& format = *spec.quantisation.row;
    // With own tokens the layer's batch is that of all devices.
    return {.tokens = shape(0)[0] * (spec.tokens == Tokens::Own ? ranks : 1),
            .has_own_tokens = spec.tokens == Tokens::Own,
            .hidden = shape(0)[1],
            .gate_up = shape(kW1)[1],
            .intermediate = shape(kW2)[2] * format.codes_a_byte,
            .experts = shape(kExpertMap)[0],
            .local_experts = shape(kW1)[0],
            .top_k = shape(kTopkIds)[1],
            .ranks = ranks,
            .activation = spec.activation,
            .alpha = spec.alpha,
            .limit = spec.limit,
            .apply_router_weight_on_input = spec.apply_router_weight_on_input,
            .block_size = spec.block_size,
            .max_num_tokens = spec.max_num_tokens,
            .has_shared_expert = is_given(inputs, kSharedW1),
            .has_expert_places = is_given(inputs, kExpertPlaces),
            .w1_scales = name(kW1Scale),
            .w2_scales = name(kW2Scale),
            .w1_zero_points = name(kW1ZeroPoints),
            .w2_zero_points = name(kW2ZeroPoints),
            .a1_scale = name(kA1Scale),
            .a2_scale = name(kA2Scale),
            .w1_bias = name(kW1Bias),
            .w2_bias = name(kW2Bias),
            .activations = format.activations,
            .w1_parts = w1_parts(spec)};
}

}  // namespace tessera::ops::fused_moe

namespace tessera::config {

using ops::fused_moe::ExpertsName;
using ops::fused_moe::PrepareFinalizeName;
using ops::fused_moe::WeightFormatName;

Parsed<WeightFormatName> Value<WeightFormatName>::parse(const Node& node) {
    const auto* row = ops::fused_moe::find_weight_format(node.text);
    if (row == nullptr) {
        return ops::fused_moe::no_row(node, ops::fused_moe::all_weight_formats());
    }
    return WeightFormatName{row};
}

std::string Value<WeightFormatName>::show(const WeightFormatName& value) {
    return std::string(value.row->name);
}

std::string Value<WeightFormatName>::allowed() {
    return fmt::format(
        "{}", fmt::join(ops::fused_moe::names_of(ops::fused_moe::all_weight_formats()), ", "));
}

Parsed<PrepareFinalizeName> Value<PrepareFinalizeName>::parse(const Node& node) {
    const auto* row = ops::fused_moe::find_prepare_finalize(node.text);
    if (row == nullptr && node.text != ops::fused_moe::kAuto) {
        return ops::fused_moe::no_row(node, ops::fused_moe::all_prepare_finalize());
    }
    return PrepareFinalizeName{row};
}

std::string Value<PrepareFinalizeName>::show(const PrepareFinalizeName& value) {
    return std::string(value.row == nullptr ? ops::fused_moe::kAuto : value.row->name);
}

std::string Value<PrepareFinalizeName>::allowed() {
    return fmt::format(
        "{}, {}", ops::fused_moe::kAuto,
        fmt::join(ops::fused_moe::names_of(ops::fused_moe::all_prepare_finalize()), ", "));
}

Parsed<ExpertsName> Value<ExpertsName>::parse(const Node& node) {
    const auto* row = ops::fused_moe::find_experts(node.text);
    if (row == nullptr && node.text != ops::fused_moe::kAuto) {
        return ops::fused_moe::no_row(node, ops::fused_moe::all_experts());
    }
    return ExpertsName{row};
}

std::string Value<ExpertsName>::show(const ExpertsName& value) {
    return std::string(value.row == nullptr ? ops::fused_moe::kAuto : value.row->name);
}

std::string Value<ExpertsName>::allowed() {
    return fmt::format("{}, {}", ops::fused_moe::kAuto,
                       fmt::join(ops::fused_moe::names_of(ops::fused_moe::all_experts()), ", "));
}

}  // namespace tessera::config
