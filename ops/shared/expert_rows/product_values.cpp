// SPDX-License-Identifier: Apache-2.0
// Scales of the operands of a product of expert rows, and the product as plain loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "emu/base/mx_numbers.hpp"
#include "emu/base/round_up.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"
#include "ops/shared/host_floats.hpp"

namespace tessera::ops {
namespace {

std::uint32_t inner_of(const ScaledOperands& operands) {
    return row_length(operands.rows.spec.shape);
}

row_products::WeightForm form_of(const ScaledOperands& operands) {
    using row_products::WeightForm;
    if (operands.weights.spec.format != DataFormat::UInt8) {
        return WeightForm::Numbers;
    }
    const DataFormat scales = operands.expert_scales == nullptr
                                  ? DataFormat::Float32
                                  : operands.expert_scales->spec.format;
    return scales == DataFormat::UInt8      ? WeightForm::Mxfp4
           : scales == DataFormat::Fp8_e4m3 ? WeightForm::Nvfp4
                                            : WeightForm::UInt4;
}

/// Returns the allowed shapes of the weights' scales.
std::vector<Shape> weight_scale_shapes(const ScaledOperands& operands) {
    const Shape& weights = operands.weights.spec.shape;
    const std::uint32_t k = inner_of(operands);
    std::vector<Shape> shapes;
    const auto add = [&](Shape shape) {
        if (std::ranges::find(shapes, shape) == shapes.end()) {
            shapes.push_back(std::move(shape));
        }
    };
    // The shape states what shares a scale: an expert, a row, a row of 128 columns, or a block of
    // 128 × 128. Small matrices give some of these shapes twice.
    switch (form_of(operands)) {
        case row_products::WeightForm::Numbers:
            add({weights[0]});
            add({weights[0], 1, 1});
            add({weights[0], weights[1], 1});
            add({weights[0], weights[1], div_up(k, kScaleBlock)});
            add({weights[0], operands.parts * div_up(weights[1] / operands.parts, kScaleBlock),
                 div_up(k, kScaleBlock)});
            break;
        case row_products::WeightForm::UInt4:
            for (const std::uint32_t group : kScaleGroups) {
                add({weights[0], weights[1], div_up(k, group)});
            }
            add({weights[0], weights[1], 1});
            break;
        case row_products::WeightForm::Mxfp4:
            add({weights[0], weights[1], div_up(k, kMicroBlock)});
            break;
        case row_products::WeightForm::Nvfp4:
            add({weights[0], weights[1], div_up(k, kE4m3Block)});
            break;
    }
    return shapes;
}

std::vector<Shape> row_scale_shapes(const Shape& rows) {
    const std::uint32_t blocks = div_up(row_length(rows), kScaleBlock);
    std::vector<Shape> shapes{{1}, {1, 1}, {num_rows(rows), 1}, {num_rows(rows), blocks}};
    // Those of batches that were dispatched keep the axis of experts.
    if (rows.size() > 2) {
        for (const std::uint32_t each : {1U, blocks}) {
            shapes.push_back(rows);
            shapes.back().back() = each;
        }
    }
    return shapes;
}

void judge_shape(const TensorPlan* tensor, const std::vector<Shape>& allowed, std::string_view name,
                 RuleJudge& judge) {
    if (tensor == nullptr || std::ranges::find(allowed, tensor->spec.shape) != allowed.end()) {
        return;
    }
    std::string words;
    for (const Shape& shape : allowed) {
        words += (words.empty() ? "" : ", ") + to_string(shape);
    }
    judge.require(false, name,
                  fmt::format("is {}; allowed: {}{}", to_string(tensor->spec.shape),
                              allowed.size() == 1 ? "" : "one of ", words));
}

/// Elements of K that share one of `blocks` scales.
std::uint32_t shared_columns(row_products::WeightForm form, std::uint32_t k, std::uint32_t blocks) {
    if (is_e2m1(form)) {
        return form == row_products::WeightForm::Mxfp4 ? kMicroBlock : kE4m3Block;
    }
    if (blocks == 1) {
        return k;
    }
    // Group sizes differ by factors of two or more, so above one block only one size gives this
    // number of blocks.
    const auto group = std::ranges::find_if(
        kScaleGroups, [&](std::uint32_t columns) { return div_up(k, columns) == blocks; });
    return form == row_products::WeightForm::Numbers || group == kScaleGroups.end() ? kScaleBlock
                                                                                    : *group;
}

}  // namespace

ScaleShape scale_shape(const ScaledOperands& operands) {
    const std::uint32_t n = operands.weights.spec.shape[1];
    const std::uint32_t k = inner_of(operands);
    ScaleShape scales{.has_zero_points = operands.zero_points != nullptr,
                      .has_bias = operands.bias != nullptr,
                      .has_factors = operands.expert_factors != nullptr,
                      .n_each = n,
                      .k_each = k,
                      .form = form_of(operands)};
    if (operands.expert_scales != nullptr) {
        const TensorSpec& spec = operands.expert_scales->spec;
        scales.has_weight_scales = true;
        scales.format = spec.format;
        scales.is_one_page = spec.shape.size() == 1;
        if (!scales.is_one_page) {
            scales.n_scales = spec.shape[1];
            scales.weight_blocks = spec.shape[2];
        }
        scales.is_by_column = scales.n_scales > 1;
        scales.n_each = scales.n_scales == 1 ? n : scales.n_scales == n ? 1 : kScaleBlock;
        scales.k_each = shared_columns(scales.form, k, scales.weight_blocks);
    }
    if (operands.row_scales != nullptr) {
        const Shape& shape = operands.row_scales->spec.shape;
        scales.has_row_scales = true;
        scales.is_one_row = num_rows(shape) == 1;
        scales.row_blocks = shape.back();
        scales.k_each = scales.row_blocks > 1 ? kScaleBlock : scales.k_each;
    }
    return scales;
}

void judge_scales(const ScaledOperands& operands, RuleJudge& judge) {
    const TensorSpec& weights = operands.weights.spec;
    const row_products::WeightForm form = form_of(operands);
    const bool is_packed = form != row_products::WeightForm::Numbers;
    judge_shape(operands.expert_scales, weight_scale_shapes(operands), "expert_scales", judge);
    judge_shape(operands.row_scales, row_scale_shapes(operands.rows.spec.shape), "row_scales",
                judge);
    judge.require(!is_packed || operands.expert_scales != nullptr, "expert_scales",
                  "are missing; required with codes of 4 bits");
    judge.require(
        is_packed || operands.expert_scales == nullptr ||
            operands.expert_scales->spec.format == DataFormat::Float32,
        "expert_scales",
        fmt::format(
            "are {}; allowed with weights of {}: float32",
            operands.expert_scales == nullptr ? "" : name_of(operands.expert_scales->spec.format),
            name_of(weights.format)));
    judge.require(operands.zero_points == nullptr || form == row_products::WeightForm::UInt4,
                  "zero_points", "are given; allowed: with uint8 weights and float scales only");
    if (operands.zero_points != nullptr && operands.expert_scales != nullptr) {
        judge_shape(operands.zero_points, {operands.expert_scales->spec.shape}, "zero_points",
                    judge);
    }
    judge.require(operands.expert_factors == nullptr || form == row_products::WeightForm::Nvfp4,
                  "expert_factors",
                  "are given; allowed: with uint8 weights and fp8_e4m3 scales only");
    judge_shape(operands.bias, {{weights.shape[0], weights.shape[1]}}, "bias", judge);
}

void product_row(std::span<const float> row, std::span<const float> expert_weights, double scale,
                 std::span<float> out) {
    // In double: the reference rounds only in its last step.
    for (std::size_t n = 0; n < out.size(); ++n) {
        const auto weights = expert_weights.subspan(n * row.size(), row.size());
        const double sum = std::transform_reduce(
            row.begin(), row.end(), weights.begin(), 0.0, std::plus<>(),
            [](float a, float b) { return static_cast<double>(a) * static_cast<double>(b); });
        out[n] = static_cast<float>(sum * scale);
    }
}

namespace {

/// Returns the scale index along N of column `column` of `n`, which consist of `parts` consecutive
/// parts.
std::size_t n_scale_of(const ScaleShape& scales, std::size_t parts, std::size_t n,
                       std::size_t column) {
    if (scales.n_scales == 1) {
        return 0;
    }
    const std::size_t each = n / parts;
    return column / each * (scales.n_scales / parts) + column % each / scales.n_each;
}

constexpr int kMiddle = 8;  // zero point of codes of 4 bits without an operand of them

}  // namespace

std::vector<float> numbers_of(const CodedWeights& weights, const ScaleShape& scales) {
    if (!scales.is_packed()) {
        return floats_of(weights.codes);
    }
    const auto bytes = weights.codes.as<std::uint8_t>();
    const std::size_t width = weights.codes.shape.back();
    const bool is_micro = is_e2m1(scales.form);
    std::vector<float> numbers(2 * bytes.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::uint32_t code = bytes[i / 2] >> (i % 2 * 4) & 0xFU;
        if (is_micro) {
            numbers[i] = e2m1_to_float(code);
            continue;
        }
        const std::size_t row = i / (2 * width);
        const std::size_t block = i % (2 * width) / scales.k_each;
        const int point =
            weights.zero_points == nullptr
                ? kMiddle
                : weights.zero_points->as<std::uint8_t>()[row * scales.weight_blocks + block];
        numbers[i] = static_cast<float>(static_cast<int>(code) - point);
    }
    return numbers;
}

namespace {

std::vector<float> scales_of_weights(const HostTensor& scales) {
    if (scales.format != DataFormat::UInt8) {
        return floats_of(scales);
    }
    std::vector<float> values(num_elements(scales.shape));
    std::ranges::transform(scales.as<std::uint8_t>(), values.begin(), e8m0_to_float);
    return values;
}

}  // namespace

std::vector<float> weights_of(const CodedWeights& weights, const ScaleShape& scales,
                              std::uint32_t parts, std::size_t n, std::size_t k) {
    std::vector<float> numbers = numbers_of(weights, scales);
    if (weights.scales == nullptr) {
        return numbers;
    }
    const std::vector<float> factors = scales_of_weights(*weights.scales);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::size_t expert = i / (n * k);
        const std::size_t place =
            expert * scales.n_scales + n_scale_of(scales, parts, n, i / k % n);
        numbers[i] *= weights.factors == nullptr ? 1.0F : weights.factors->as<float>()[expert];
        numbers[i] *= factors[place * scales.weight_blocks +
                              (scales.weight_blocks > 1 ? i % k / scales.k_each : 0)];
    }
    return numbers;
}

void ProductValues::multiply(std::size_t row, std::size_t expert, double factor,
                             std::span<float> out) const {
    const auto source = std::span(rows).subspan(row * k, k);
    const auto own = std::span(weights).subspan(expert * n * k, n * k);
    // Scales apply to K blocks, so each block's sum is scaled separately, as in the kernel.
    const std::size_t blocks = std::max(scales.weight_blocks, scales.row_blocks);
    const std::size_t each = blocks == 1 ? k : scales.k_each;
    for (std::size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::size_t b = 0; b < blocks; ++b) {
            double part = 0;
            for (std::size_t i = b * each; i < std::min(k, (b + 1) * each); ++i) {
                part += static_cast<double>(source[i]) * static_cast<double>(own[column * k + i]);
            }
            if (scales.has_weight_scales) {
                const std::size_t at =
                    expert * scales.n_scales + n_scale_of(scales, parts, n, column);
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
        sum *= factors.empty() ? 1.0 : static_cast<double>(factors[expert]);
        if (!bias.empty()) {
            sum += static_cast<double>(bias[expert * n + column]);
        }
        out[column] = static_cast<float>(sum * factor);
    }
}

ScaledOperands scaled_operands(std::span<const TensorPlan> inputs, const ProductPlaces& places,
                               std::uint32_t parts) {
    const auto given = [&](std::size_t place) {
        return is_given(inputs, place) ? &inputs[place] : nullptr;
    };
    return {.rows = inputs[places.rows],
            .weights = inputs[places.weights],
            .expert_scales = given(places.expert_scales),
            .row_scales = given(places.row_scales),
            .zero_points = given(places.zero_points),
            .bias = given(places.bias),
            .parts = parts,
            .expert_factors = given(places.expert_factors)};
}

ProductValues product_values(const ReferenceContext& context, const ProductPlaces& places,
                             std::uint32_t parts) {
    // The operands that are given, and the plans that their shapes and formats make.
    std::vector<HostTensor> tensors(context.inputs.size());
    std::vector<TensorPlan> plans(tensors.size());
    for (const std::size_t place :
         {places.rows, places.weights, places.expert_scales, places.row_scales, places.zero_points,
          places.bias, places.expert_factors}) {
        if (context.has(place)) {
            tensors[place] = context.read(place);
            plans[place].spec = {tensors[place].shape, tensors[place].format};
        }
    }
    const auto given = [&](std::size_t place) {
        return context.has(place) ? &tensors[place] : nullptr;
    };
    ProductValues values{.rows = floats_of(tensors[places.rows]),
                         .scales = scale_shape(scaled_operands(plans, places, parts)),
                         .parts = parts,
                         .n = tensors[places.weights].shape[1],
                         .k = tensors[places.rows].shape.back()};
    values.weights = numbers_of(
        {tensors[places.weights], given(places.expert_scales), given(places.zero_points)},
        values.scales);
    if (context.has(places.expert_scales)) {
        values.expert_scales = scales_of_weights(tensors[places.expert_scales]);
    }
    if (context.has(places.row_scales)) {
        values.row_scales = floats_of(tensors[places.row_scales]);
    }
    if (context.has(places.bias)) {
        values.bias = floats_of(tensors[places.bias]);
    }
    if (context.has(places.expert_factors)) {
        values.factors = floats_of(tensors[places.expert_factors]);
    }
    return values;
}

}  // namespace tessera::ops
