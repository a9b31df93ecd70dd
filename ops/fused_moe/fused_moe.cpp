// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/fused_moe.hpp"

#include <fmt/format.h>

#include "ops/fused_moe/layer_op.hpp"

namespace tessera::ops::fused_moe {
namespace {

using config::field;
using config::Limits;

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
    field<&MoeSpec::limit>("limit", "7", "limit of swigluoai", Limits{1e-30, 1e30}),
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

MoeSpec with_pair(MoeSpec spec, const Selection& selection) {
    spec.pf.row = selection.prepare_finalize;
    spec.experts.row = selection.experts;
    return spec;
}

std::vector<PartStep> parts(const OpContext& context) {
    const MoeSpec spec = chosen_spec(context);
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    return modular_kernel(*spec.pf.row, *spec.experts.row, layer_of(context.inputs, ranks, spec),
                          spec.chunk_tokens);
}

}  // namespace

bool is_gated(Activation activation) {
    return row_activation(activation, 0, 0).gate != GatePlace::None;
}

std::uint32_t w1_parts(const MoeSpec& spec) {
    // Gate and up are two matrices of a checkpoint, each with its own blocks of scales: a block of
    // 128 rows does not extend from one to the other.
    const bool is_split = row_activation(spec.activation, 0, 0).gate == GatePlace::First;
    return is_split && spec.quantisation.row->scale_of == ScaleOf::Block ? 2 : 1;
}

Situation situation_of(const MoeSpec& spec, const LayerSize& size, DataFormat ids, bool has_bias) {
    const DispatchSizes& sizes = size.dispatch;
    const bool is_chunked = spec.chunk_tokens != 0 && spec.chunk_tokens < sizes.tokens;
    return {.demands = {.ranks = sizes.ranks,
                        .topk_indices = ids,
                        .is_chunked = is_chunked,
                        .weights = spec.quantisation.row,
                        .has_bias = has_bias,
                        .activation = spec.activation,
                        .weighs_inputs = spec.apply_router_weight_on_input},
            .sizes = sizes,
            .has_all_experts = sizes.experts <= sizes.ranks * size.local_experts,
            .prepare_finalize = spec.pf.row,
            .experts = spec.experts.row};
}

MoeSpec chosen_spec(const OpContext& context) {
    const auto& spec = context.params<MoeSpec>();
    const auto ranks = static_cast<std::uint32_t>(context.devices.size());
    return with_pair(spec, selection_of(context.inputs, ranks, spec));
}

const Op& op() {
    static const Op kOp{
        .spec = kSpec,
        .params = parameters<MoeSpec>(kFields),
        .schedule =
            [](const OpContext& context) {
                const auto& spec = context.params<MoeSpec>();
                return fmt::format("{}, {}", config::Value<PrepareFinalizeName>::show(spec.pf),
                                   config::Value<ExpertsName>::show(spec.experts));
            },
        .rules = [](const OpContext& context,
                    RuleJudge& judge) { judge_layer(kFields, context, judge); },
        .infer = like_first_input,
        .parts = parts,
        .reference = layer_reference,
        .check_values = check_layer_values,
        .checked_inputs = {kTopkIds, kExpertMap, kExpertPlaces, kW1Scale, kW2Scale}};
    return kOp;
}

Selection selection_of(std::span<const TensorPlan> inputs, std::uint32_t ranks,
                       const MoeSpec& spec) {
    const auto shape_of = [&](std::size_t place) -> const Shape& {
        return inputs[place].spec.shape;
    };
    return select_pair(situation_of(spec, size_of(spec, ranks, shape_of),
                                    inputs[kTopkIds].spec.format,
                                    is_given(inputs, kW1Bias) || is_given(inputs, kW2Bias)));
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
            .w1_factors = name(kW1Factors),
            .w2_factors = name(kW2Factors),
            .activations = format.activations,
            .w1_parts = w1_parts(spec)};
}

}  // namespace tessera::ops::fused_moe
