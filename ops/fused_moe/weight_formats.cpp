// SPDX-License-Identifier: Apache-2.0
#include "ops/fused_moe/weight_formats.hpp"

#include <array>

#include "emu/base/round_up.hpp"
#include "ops/fused_moe/find_row.hpp"
#include "ops/fused_moe/layer.hpp"

namespace tessera::ops::fused_moe {
namespace {

// int8 codes are held as bfp8_b, which has all numbers up to 127 exactly: the matrix unit of this
// machine has no format of bytes with a sign beside bfloat16 rows.
constexpr std::array kWeightFormats{
    WeightFormat{.name = "none", .about = "bfloat16"},
    WeightFormat{.name = "fp8_tensor",
                 .about = "e4m3, a scale an expert; activations e4m3, a scale a tensor",
                 .codes = DataFormat::Fp8_e4m3,
                 .scale_of = ScaleOf::Expert,
                 .activations = {"fp8_e4m3", "tensor"},
                 .quantisation = Quantisation::Fp8Tensor},
    WeightFormat{.name = "fp8_static",
                 .about = "the same, with scales of activations from a1_scale and a2_scale",
                 .codes = DataFormat::Fp8_e4m3,
                 .scale_of = ScaleOf::Expert,
                 .has_static_scales = true,
                 .activations = {"fp8_e4m3", "static"},
                 .quantisation = Quantisation::Fp8Static},
    WeightFormat{.name = "fp8_channel",
                 .about = "e4m3, a scale a row of the matrix; activations e4m3, a scale a token",
                 .codes = DataFormat::Fp8_e4m3,
                 .scale_of = ScaleOf::Channel,
                 .activations = {"fp8_e4m3", "row"},
                 .quantisation = Quantisation::Fp8Token},
    WeightFormat{.name = "fp8_block",
                 .about = "e4m3, a scale for 128x128; activations e4m3, a scale for 128 columns",
                 .codes = DataFormat::Fp8_e4m3,
                 .scale_of = ScaleOf::Block,
                 .activations = {"fp8_e4m3", "1x128"},
                 .quantisation = Quantisation::Fp8Block},
    WeightFormat{.name = "int8_channel",
                 .about = "int8, a scale a row of the matrix; activations int8, a scale a token",
                 .codes = DataFormat::Bfp8_b,
                 .scale_of = ScaleOf::Channel,
                 .activations = kInt8Rows,
                 .quantisation = Quantisation::Int8},
    WeightFormat{.name = "int8_weights",
                 .about = "int8, a scale a row of the matrix; bfloat16 activations",
                 .codes = DataFormat::Bfp8_b,
                 .scale_of = ScaleOf::Channel},
    WeightFormat{.name = "int4_group",
                 .about = "unsigned codes of 4 bits, a scale and perhaps a zero point for 32, 64, "
                          "128, 256 or all columns; bfloat16 activations",
                 .codes = DataFormat::UInt8,
                 .codes_a_byte = 2,
                 .scale_of = ScaleOf::Group,
                 .scales = DataFormat::Float16_b,
                 .may_have_zero_points = true},
    WeightFormat{.name = "mxfp4",
                 .about = "e2m1, an e8m0 scale for 32 columns; bfloat16 activations",
                 .codes = DataFormat::UInt8,
                 .codes_a_byte = 2,
                 .scale_of = ScaleOf::MicroBlock,
                 .scales = DataFormat::UInt8},
    WeightFormat{.name = "mxfp4_w4a4",
                 .about = "e2m1, an e8m0 scale for 32 columns; activations the same",
                 .codes = DataFormat::UInt8,
                 .codes_a_byte = 2,
                 .scale_of = ScaleOf::MicroBlock,
                 .scales = DataFormat::UInt8,
                 .activations = {"e2m1", "1x32", nullptr, true},
                 .quantisation = Quantisation::Mxfp4},
    WeightFormat{.name = "nvfp4",
                 .about = "e2m1, an e4m3 scale for 16 columns and a factor an expert; activations "
                          "the same, with a scale of the tensor from a1_scale and a2_scale",
                 .codes = DataFormat::UInt8,
                 .codes_a_byte = 2,
                 .scale_of = ScaleOf::E4m3Block,
                 .scales = DataFormat::Fp8_e4m3,
                 .has_static_scales = true,
                 .has_expert_factors = true,
                 .activations = {"e2m1", "1x16", nullptr, true},
                 .quantisation = Quantisation::Nvfp4},
    WeightFormat{.name = "nvfp4_weights",
                 .about = "e2m1, an e4m3 scale for 16 columns and a factor an expert; bfloat16 "
                          "activations",
                 .codes = DataFormat::UInt8,
                 .codes_a_byte = 2,
                 .scale_of = ScaleOf::E4m3Block,
                 .scales = DataFormat::Fp8_e4m3,
                 .has_expert_factors = true},
    WeightFormat{.name = "bfp8_b",
                 .about = "8 bits, 16 columns share an exponent; bfloat16 activations",
                 .codes = DataFormat::Bfp8_b},
    WeightFormat{.name = "bfp4_b",
                 .about = "4 bits, 16 columns share an exponent; bfloat16 activations",
                 .codes = DataFormat::Bfp4_b},
};

}  // namespace

std::span<const WeightFormat> all_weight_formats() {
    return kWeightFormats;
}

const WeightFormat* find_weight_format(std::string_view name) {
    return find_row(kWeightFormats, name);
}

std::vector<std::string_view> weight_formats_of(Quantisation quantisation) {
    std::vector<std::string_view> names;
    for (const WeightFormat& format : all_weight_formats()) {
        if (format.quantisation == quantisation) {
            names.push_back(format.name);
        }
    }
    return names;
}

std::vector<Shape> scale_shapes(const WeightFormat& format, const Shape& weights,
                                std::uint32_t parts) {
    const std::uint32_t experts = weights[0];
    const std::uint32_t rows = weights[1];
    const std::uint32_t columns = weights[2] * format.codes_a_byte;
    std::vector<Shape> shapes;
    switch (format.scale_of) {
        case ScaleOf::Nothing:
            break;
        case ScaleOf::Expert:
            return {{experts}};
        case ScaleOf::Channel:
            return {{experts, rows, 1}};
        case ScaleOf::Block:
            return {
                {experts, parts * div_up(rows / parts, kScaleBlock), div_up(columns, kScaleBlock)}};
        case ScaleOf::Group:
            for (const std::uint32_t group : kScaleGroups) {
                shapes.push_back({experts, rows, div_up(columns, group)});
            }
            shapes.push_back({experts, rows, 1});
            break;
        case ScaleOf::MicroBlock:
            return {{experts, rows, div_up(columns, kMicroBlock)}};
        case ScaleOf::E4m3Block:
            return {{experts, rows, div_up(columns, kE4m3Block)}};
    }
    return shapes;
}

}  // namespace tessera::ops::fused_moe
