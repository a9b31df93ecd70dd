// SPDX-License-Identifier: Apache-2.0
// Scales of the operands of a product of expert rows, and the product as plain loops.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "emu/base/round_up.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops {
namespace {

/// Returns the scales that weights (E, N, K) may have, in words of the message.
std::vector<Shape> weight_scale_shapes(const Shape& weights) {
    const std::uint32_t n_blocks = div_up(weights[1], kScaleBlock);
    const std::uint32_t k_blocks = div_up(weights[2], kScaleBlock);
    return {{weights[0], 1, 1},
            {weights[0], weights[1], 1},
            {weights[0], weights[1], k_blocks},
            {weights[0], n_blocks, k_blocks}};
}

std::vector<Shape> row_scale_shapes(const Shape& rows) {
    return {{1, 1}, {num_rows(rows), 1}, {num_rows(rows), div_up(row_length(rows), kScaleBlock)}};
}

void judge_scale(const TensorPlan* scale, const std::vector<Shape>& allowed, std::string_view name,
                 RuleJudge& judge) {
    if (scale == nullptr || std::ranges::find(allowed, scale->spec.shape) != allowed.end()) {
        return;
    }
    std::string words;
    for (const Shape& shape : allowed) {
        words += (words.empty() ? "" : ", ") + to_string(shape);
    }
    judge.require(false, name,
                  fmt::format("is {}; allowed: one of {}", to_string(scale->spec.shape), words));
}

}  // namespace

ScaleShape scale_shape(const ScaledOperands& operands) {
    ScaleShape scales{.n_each = operands.weights.spec.shape[1]};
    if (operands.expert_scales != nullptr) {
        const Shape& shape = operands.expert_scales->spec.shape;
        const std::uint32_t n = operands.weights.spec.shape[1];
        scales.has_weight_scales = true;
        scales.is_by_column = shape[1] > 1;
        // One scale for a matrix, for each column, or for a block of 128 columns.
        scales.n_each = shape[1] == 1 ? n : shape[1] == n ? 1 : kScaleBlock;
        scales.weight_blocks = shape[2];
    }
    if (operands.row_scales != nullptr) {
        const Shape& shape = operands.row_scales->spec.shape;
        scales.has_row_scales = true;
        scales.is_one_row = shape[0] == 1;
        scales.row_blocks = shape[1];
    }
    return scales;
}

void judge_scales(const ScaledOperands& operands, RuleJudge& judge) {
    judge_scale(operands.expert_scales, weight_scale_shapes(operands.weights.spec.shape),
                "expert_scales", judge);
    judge_scale(operands.row_scales, row_scale_shapes(operands.rows.spec.shape), "row_scales",
                judge);
}

void product_row(std::span<const float> row, std::span<const float> expert_weights, double scale,
                 std::span<float> out) {
    // In double: the reference has no rounding but that of its last step.
    for (std::size_t n = 0; n < out.size(); ++n) {
        const auto weights = expert_weights.subspan(n * row.size(), row.size());
        const double sum = std::transform_reduce(
            row.begin(), row.end(), weights.begin(), 0.0, std::plus<>(),
            [](float a, float b) { return static_cast<double>(a) * static_cast<double>(b); });
        out[n] = static_cast<float>(sum * scale);
    }
}

namespace {

float e4m3_to_float(std::uint8_t code) {
    const int exponent = code >> 3 & 0xF;
    const int mantissa = code & 7;
    // e4m3 (OCP 8-bit formats) has no infinity: the largest magnitude code is NaN, and 448 is the
    // largest number.
    if ((code & 0x7F) == 0x7F) {
        return std::numeric_limits<float>::quiet_NaN();
    }
    // Exponent bias 7; codes with exponent 0 are denormals of 2^-9 each.
    const float magnitude = exponent == 0
                                ? std::ldexp(static_cast<float>(mantissa), -9)
                                : std::ldexp(static_cast<float>(mantissa + 8), exponent - 10);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::vector<float> floats_of(const HostTensor& tensor) {
    std::vector<float> values(num_elements(tensor.shape));
    if (tensor.format == DataFormat::Fp8_e4m3) {
        std::ranges::transform(tensor.as<std::uint8_t>(), values.begin(), e4m3_to_float);
        return values;
    }
    read_floats(tensor, 0, values);
    return values;
}

void ProductValues::multiply(std::size_t row, std::size_t expert, double factor,
                             std::span<float> out) const {
    const auto source = std::span(rows).subspan(row * k, k);
    const auto own = std::span(weights).subspan(expert * n * k, n * k);
    // Scales hold for blocks of K, so that each block's sum is scaled by itself, as in the kernel.
    const std::size_t blocks = std::max(scales.weight_blocks, scales.row_blocks);
    const std::size_t each = blocks == 1 ? k : kScaleBlock;
    const std::size_t n_scales = div_up(n, scales.n_each);
    for (std::size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::size_t b = 0; b < blocks; ++b) {
            double part = 0;
            for (std::size_t i = b * each; i < std::min(k, (b + 1) * each); ++i) {
                part += static_cast<double>(source[i]) * static_cast<double>(own[column * k + i]);
            }
            if (scales.has_weight_scales) {
                const std::size_t at = expert * n_scales + column / scales.n_each;
                part *= static_cast<double>(
                    expert_scales[at * scales.weight_blocks + (scales.weight_blocks > 1 ? b : 0)]);
            }
            if (scales.has_row_scales) {
                const std::size_t at = scales.is_one_row ? 0 : row;
                part *= static_cast<double>(
                    row_scales[at * scales.row_blocks + (scales.row_blocks > 1 ? b : 0)]);
            }
            sum += part;
        }
        out[column] = static_cast<float>(sum * factor);
    }
}

ProductValues product_values(const ReferenceContext& context, std::size_t expert_scales) {
    const auto plan = [&](std::size_t operand) {
        return TensorPlan{.spec = {context.in(operand).shape(), DataFormat::Float32}};
    };
    const TensorPlan rows = plan(0);
    const TensorPlan weights = plan(1);
    ProductValues values{.rows = floats_of(context.read(0)), .weights = floats_of(context.read(1))};
    ScaledOperands operands{rows, weights};
    std::optional<TensorPlan> of_experts;
    std::optional<TensorPlan> of_rows;
    if (context.has(expert_scales)) {
        of_experts = plan(expert_scales);
        operands.expert_scales = &*of_experts;
        values.expert_scales = floats_of(context.read(expert_scales));
    }
    if (context.has(expert_scales + 1)) {
        of_rows = plan(expert_scales + 1);
        operands.row_scales = &*of_rows;
        values.row_scales = floats_of(context.read(expert_scales + 1));
    }
    values.scales = scale_shape(operands);
    values.n = weights.spec.shape[1];
    values.k = weights.spec.shape[2];
    return values;
}

}  // namespace tessera::ops
