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
constexpr std::size_t kTopkIds = operand("topk_ids");
constexpr std::size_t kExpertMap = operand("expert_map");
constexpr std::size_t kSharedW1 = operand("shared_w1");
constexpr std::size_t kSharedW2 = operand("shared_w2");
constexpr std::size_t kExpertPlaces = operand("expert_places");

constexpr std::array kFields{
    field<&MoeSpec::pf>("pf", config::kRequired, "prepare/finalize: how tokens reach the experts"),
    field<&MoeSpec::experts>("experts", config::kRequired, "how experts compute"),
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

Demands demands_of(const OpContext& context) {
    const auto& spec = context.params<MoeSpec>();
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    const std::uint32_t tokens = layer_of(context.inputs, ranks, spec).tokens;
    // A chunk that holds all tokens is no chunk.
    return {ranks, context.inputs[3].spec.format,
            spec.chunk_tokens != 0 && spec.chunk_tokens < tokens};
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

void rules(const OpContext& context, RuleJudge& judge) {
    const auto& spec = context.params<MoeSpec>();
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    const Layer layer = layer_of(context.inputs, ranks, spec);
    const auto reason = refusal(*spec.pf.row, *spec.experts.row, demands_of(context));
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
    const auto& spec = context.params<MoeSpec>();
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    return modular_kernel(*spec.pf.row, *spec.experts.row, layer_of(context.inputs, ranks, spec),
                          spec.chunk_tokens);
}

/// The weights of one expert, wherever they are.
struct ExpertWeights {
    std::vector<float> w1;
    std::vector<float> w2;
};

std::vector<ExpertWeights> weights_of(const ReferenceContext& context, std::uint32_t experts) {
    std::vector<ExpertWeights> weights(experts);
    for (std::size_t device = 0; device < context.inputs[5].size(); ++device) {
        // Experts may be anywhere: the map of each device says which it has.
        const HostTensor map = context.inputs[5][device]->all();
        const std::vector<float> w1 = floats_of(context.inputs[1][device]->all());
        const std::vector<float> w2 = floats_of(context.inputs[2][device]->all());
        const std::size_t local = context.inputs[1][device]->shape()[0];
        const auto expert_of = [&](const std::vector<float>& all, std::size_t e) {
            const auto size = static_cast<std::ptrdiff_t>(all.size() / local);
            const auto begin = all.begin() + static_cast<std::ptrdiff_t>(e) * size;
            return std::vector<float>(begin, begin + size);
        };
        for (std::size_t e = 0; e < experts; ++e) {
            if (const std::int32_t at = map.as<std::int32_t>()[e]; at != kNobody) {
                const auto index = static_cast<std::size_t>(at);
                weights[e] = {expert_of(w1, index), expert_of(w2, index)};
            }
        }
    }
    return weights;
}

// The reference computes token by token, without dispatch or blocks, and shares no step with the
// kernels.
std::vector<float> product(std::span<const float> row, std::span<const float> weights) {
    std::vector<float> out(weights.size() / row.size());
    product_row(row, weights, 1.0, out);
    return out;
}

void add_choice(const MoeSpec& spec, std::span<const float> token, const ExpertWeights& weights,
                double weight, std::span<double> sum) {
    const std::vector<float> gate_up = product(token, weights.w1);
    std::vector<float> activated(gate_up.size() / (is_gated(spec.activation) ? 2 : 1));
    activation::apply_to_row(row_activation(spec.activation, spec.alpha, spec.limit), gate_up,
                             activated);
    const std::vector<float> down = product(activated, weights.w2);
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
        context.has(kSharedW2) ? std::optional(ExpertWeights{floats_of(context.read(kSharedW1)),
                                                             floats_of(context.read(kSharedW2))})
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

void check_values(const ReferenceContext& context) {
    const PrepareAndFinalize& pf = *context.params<MoeSpec>().pf.row;
    const std::uint32_t local_experts = context.in(1).shape()[0];
    const std::vector<HostTensor> maps = context.read_all(kExpertMap);
    const HostTensor values = context.read(kTopkIds);
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
    return {node.origin, fmt::format("{}, allowed: {}", config::describe(node),
                                     fmt::join(names_of(rows), ", "))};
}

}  // namespace

const Op& op() {
    static const Op kOp{.spec = kSpec,
                        .params = parameters<MoeSpec>(kFields),
                        .schedule =
                            [](ParameterRef parameters) {
                                const auto& spec = parameters.as<MoeSpec>();
                                return fmt::format("{}, {}", spec.pf.row->name,
                                                   spec.experts.row->name);
                            },
                        .rules = rules,
                        .infer = like_first_input,
                        .parts = parts,
                        .reference = reference,
                        .check_values = check_values,
                        .checked_inputs = {kTopkIds, kExpertMap, kExpertPlaces}};
    return kOp;
}

Layer layer_of(std::span<const TensorPlan> inputs, std::uint32_t ranks, const MoeSpec& spec) {
    // Shapes are checked by the contract, so that axes can be read by number.
    const auto shape = [&](std::size_t operand) { return inputs[operand].spec.shape; };
    // With own tokens the layer's batch is that of all devices.
    return {.tokens = shape(0)[0] * (spec.tokens == Tokens::Own ? ranks : 1),
            .has_own_tokens = spec.tokens == Tokens::Own,
            .hidden = shape(0)[1],
            .gate_up = shape(1)[1],
            .intermediate = shape(2)[2],
            .experts = shape(5)[0],
            .local_experts = shape(1)[0],
            .top_k = shape(3)[1],
            .ranks = ranks,
            .activation = spec.activation,
            .alpha = spec.alpha,
            .limit = spec.limit,
            .apply_router_weight_on_input = spec.apply_router_weight_on_input,
            .block_size = spec.block_size,
            .max_num_tokens = spec.max_num_tokens,
            .has_shared_expert = is_given(inputs, kSharedW2),
            .has_expert_places = is_given(inputs, kExpertPlaces)};
}

}  // namespace tessera::ops::fused_moe

namespace tessera::config {

using ops::fused_moe::ExpertsName;
using ops::fused_moe::PrepareFinalizeName;

Parsed<PrepareFinalizeName> Value<PrepareFinalizeName>::parse(const Node& node) {
    const auto* row = ops::fused_moe::find_prepare_finalize(node.text);
    if (row == nullptr) {
        return ops::fused_moe::no_row(node, ops::fused_moe::all_prepare_finalize());
    }
    return PrepareFinalizeName{row};
}

std::string Value<PrepareFinalizeName>::show(const PrepareFinalizeName& value) {
    return std::string(value.row->name);
}

std::string Value<PrepareFinalizeName>::allowed() {
    return fmt::format(
        "{}", fmt::join(ops::fused_moe::names_of(ops::fused_moe::all_prepare_finalize()), ", "));
}

Parsed<ExpertsName> Value<ExpertsName>::parse(const Node& node) {
    const auto* row = ops::fused_moe::find_experts(node.text);
    if (row == nullptr) {
        return ops::fused_moe::no_row(node, ops::fused_moe::all_experts());
    }
    return ExpertsName{row};
}

std::string Value<ExpertsName>::show(const ExpertsName& value) {
    return std::string(value.row->name);
}

std::string Value<ExpertsName>::allowed() {
    return fmt::format("{}",
                       fmt::join(ops::fused_moe::names_of(ops::fused_moe::all_experts()), ", "));
}

}  // namespace tessera::config
