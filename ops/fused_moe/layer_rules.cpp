// SPDX-License-Identifier: Apache-2.0
// Rules of a layer: which parts go together, and the shapes and formats of weights.
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/fused_moe/layer_op.hpp"

namespace tessera::ops::fused_moe {
namespace {

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
    judge.require(
        is_allowed || !context.has(operand), kInputs[operand].name,
        fmt::format("is given; allowed with quantisation {}: none; leave it out", format));
}

/// The rules of one of the two weights: the format of its codes, its scales and zero points.
void judge_codes(const OpContext& context, const WeightOperands& operands, std::uint32_t parts,
                 RuleJudge& judge) {
    const WeightFormat& format = *context.params<MoeSpec>().quantisation.row;
    const auto [weights, scale, zero_points, factors] = operands;
    const TensorSpec& codes = context.inputs[weights].spec;
    judge.require(codes.format == format.codes, kInputs[weights].name,
                  fmt::format("is {}; allowed with quantisation {}: {}", name_of(codes.format),
                              format.name, name_of(format.codes)));
    const bool has_scales = format.scale_of != ScaleOf::Nothing;
    judge_presence(context, scale, has_scales, has_scales, judge);
    judge_presence(context, zero_points, false, format.may_have_zero_points, judge);
    judge_presence(context, factors, format.has_expert_factors, format.has_expert_factors, judge);
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
        !context.has(zero_points) || !format.may_have_zero_points ||
            context.inputs[zero_points].spec.shape == scales.shape,
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
    judge.require(
        context.inputs[kW1].spec.shape[2] * format.codes_a_byte == layer.hidden, "w1",
        fmt::format("has {} columns; allowed with quantisation {} and {} columns of a: {}",
                    context.inputs[kW1].spec.shape[2], format.name, layer.hidden,
                    layer.hidden / format.codes_a_byte));
    judge_codes(context, kW1Operands, layer.w1_parts, judge);
    judge_codes(context, kW2Operands, 1, judge);
    for (const std::size_t scale : {kA1Scale, kA2Scale}) {
        judge_presence(context, scale, format.has_static_scales, format.has_static_scales, judge);
    }
}

/// Checks that the projections fit each other, and that a shared expert has both.
void judge_projections(const OpContext& context, Activation activation, const Layer& layer,
                       RuleJudge& judge) {
    const std::uint32_t rows = layer.intermediate * (is_gated(activation) ? 2 : 1);
    judge.require(layer.gate_up == rows, "w1",
                  fmt::format("has {} rows an expert; allowed with activation {} and w2 of {} "
                              "columns: {}",
                              layer.gate_up, config::Value<Activation>::show(activation),
                              layer.intermediate, rows));
    judge.require(context.has(kSharedW1) == context.has(kSharedW2),
                  context.has(kSharedW1) ? "shared_w2" : "shared_w1",
                  fmt::format("is missing; required with {}",
                              context.has(kSharedW1) ? "shared_w1" : "shared_w2"));
}

/// Checks that each expert that tokens may choose has a device.
void judge_places(const MoeSpec& spec, const Layer& layer, std::uint32_t ranks, RuleJudge& judge) {
    // Experts of devices outside of the group add nothing: their sums are joined elsewhere.
    // Contiguous dispatches send to the device of an expert by its number; no expert may be missing
    // there.
    const bool are_contiguous = need_contiguous_experts(*spec.pf.row, *spec.experts.row);
    const bool may_lack_experts = layer.has_own_tokens && !are_contiguous;
    const std::uint32_t slots = layer.local_experts * ranks;
    judge.require(may_lack_experts || layer.experts <= slots, "expert_map",
                  fmt::format("has {} entries; allowed: up to {}, {} experts on each of {} devices",
                              layer.experts, slots, layer.local_experts, ranks));
    judge.require(!are_contiguous || layer.has_expert_places || layer.experts >= slots,
                  "expert_places",
                  fmt::format("is missing; required with {} for {} experts in {} slots of {} "
                              "devices",
                              spec.pf.row->needs_contiguous_experts ? spec.pf.row->name
                                                                    : spec.experts.row->name,
                              layer.experts, slots, ranks));
}

}  // namespace

void judge_layer(std::span<const config::Field> fields, const OpContext& context,
                 RuleJudge& judge) {
    const MoeSpec spec = chosen_spec(context);
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    const Layer layer = layer_of(context.inputs, ranks, spec);
    const Selection pair = selection_of(context.inputs, ranks, context.params<MoeSpec>());
    for (const KeyRefusal& refusal : pair.refusals) {
        judge.require(false, refusal.key, refusal.reason);
    }
    // Unsupported parts have no steps to compare.
    if (pair.refusals.empty()) {
        judge_untaken(fields, &spec, untaken_by(spec, layer),
                      fmt::format("the layer of prepare/finalize {}, experts {} and activation {}",
                                  spec.pf.row->name, spec.experts.row->name,
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
    judge_projections(context, spec.activation, layer, judge);
    judge_weights(context, layer, judge);
    judge_places(spec, layer, ranks, judge);
}

}  // namespace tessera::ops::fused_moe
