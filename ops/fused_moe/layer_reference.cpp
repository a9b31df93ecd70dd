// SPDX-License-Identifier: Apache-2.0
// Reference of a layer: plain loops over tokens and their experts.
#include <algorithm>
#include <functional>
#include <optional>

#include "ops/fused_moe/layer_op.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops::fused_moe {
namespace {

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
                              const WeightOperands& operands, std::uint32_t parts) {
    const auto plan = [&](std::size_t place, const HostTensor& tensor) {
        return context.has(place) ? TensorPlan{.spec = {tensor.shape, tensor.format}}
                                  : TensorPlan{};
    };
    const auto read = [&](std::size_t place) {
        return context.has(place) ? context.inputs[place][device]->all() : HostTensor{};
    };
    const HostTensor codes = read(operands.codes);
    const HostTensor scales = read(operands.scale);
    const HostTensor points = read(operands.zero_points);
    const HostTensor factors = read(operands.factors);
    const bool is_packed = codes.format == DataFormat::UInt8;
    const std::uint32_t columns = codes.shape[2] * (is_packed ? 2 : 1);
    const TensorPlan rows{.spec = {{1, columns}, DataFormat::Float16_b}};
    const TensorPlan of_codes{.spec = {codes.shape, codes.format}};
    const TensorPlan of_scales = plan(operands.scale, scales);
    const bool has_scales = !scales.shape.empty();
    const ScaleShape shape = scale_shape(
        {rows, of_codes, has_scales ? &of_scales : nullptr, nullptr, nullptr, nullptr, parts});
    return ops::weights_of(
        {codes, has_scales ? &scales : nullptr, points.shape.empty() ? nullptr : &points,
         factors.shape.empty() ? nullptr : &factors},
        shape, parts, codes.shape[1], columns);
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
            weights_on(context, device, kW1Operands, w1_parts(context.params<MoeSpec>())),
            weights_on(context, device, kW2Operands, 1), bias_on(context, device, kW1Bias),
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

}  // namespace

std::vector<HostTensor> layer_reference(const ReferenceContext& context) {
    const auto& spec = context.params<MoeSpec>();
    // Nothing is rounded between the steps; the tolerance covers what the device rounds.
    const std::vector<float> tokens = floats_of(context.read("a"_in));
    const HostTensor ids = context.read("topk_ids"_in);
    const HostTensor weights = context.read("topk_weights"_in);
    const std::uint32_t experts = context.in("expert_map"_in).shape()[0];
    const std::vector<ExpertWeights> all = weights_of(context, experts);
    const std::optional<ExpertWeights> shared =
        context.has(kSharedW1)
            ? std::optional(ExpertWeights{
                  floats_of(context.read(kSharedW1)), floats_of(context.read(kSharedW2)), {}, {}})
            : std::nullopt;
    const std::size_t hidden = context.in("a"_in).shape()[1];
    const std::size_t top_k = ids.shape[1];
    HostTensor out = make_host_tensor(context.in("a"_in).shape(), DataFormat::Float32);
    for (std::size_t token = 0; token < ids.shape[0]; ++token) {
        // The shared expert takes every token with weight 1.
        std::vector<double> sum(hidden, 0.0);
        if (shared) {
            add_choice(spec, std::span(tokens).subspan(token * hidden, hidden), *shared, 1.0, sum);
        }
        for (std::size_t k = 0; k < top_k; ++k) {
            const std::int32_t id = ids.as<std::int32_t>()[token * top_k + k];
            // Ids out of range select no expert, as in the kernels.
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

}  // namespace tessera::ops::fused_moe
