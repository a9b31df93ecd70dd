// SPDX-License-Identifier: Apache-2.0
// The ways in which checkpoints store the weights of experts, a row each: what operands of the
// layer hold them, and how activations are quantised for products with them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/expert_rows/expert_product.hpp"

namespace tessera::ops::fused_moe {

enum class Quantisation : std::uint8_t;

/// Elements of the weights that share a scale.
enum class ScaleOf : std::uint8_t { Nothing, Expert, Channel, Block, Group, MicroBlock, E4m3Block };

/// Codes and scale blocks of activations, in words of the op quantise; without codes they stay
/// bfloat16.
struct ActivationScheme {
    const char* codes = nullptr;
    const char* block = nullptr;
    const char* sent = nullptr;       ///< codes that travel instead and are widened; null: the same
    bool widens_with_scales = false;  ///< products take numbers: codes times their scales
};

/// Integers of rows travel as bytes: products take them as bfloat16, which has twice as many.
inline constexpr ActivationScheme kInt8Rows{"int8", "row", "int8_bytes"};

struct WeightFormat {
    std::string_view name;
    std::string_view about;
    DataFormat codes = DataFormat::Float16_b;  ///< in device memory
    std::uint32_t codes_a_byte = 1;            ///< along the columns
    ScaleOf scale_of = ScaleOf::Nothing;
    DataFormat scales = DataFormat::Float32;
    bool may_have_zero_points = false;
    bool has_static_scales = false;   ///< of activations: a1_scale and a2_scale
    bool has_expert_factors = false;  ///< w1_scale_2 and w2_scale_2
    ActivationScheme activations = {};
    Quantisation quantisation = {};  ///< of dispatched activations that products take

    [[nodiscard]] constexpr bool is_bfloat16() const { return codes == DataFormat::Float16_b; }
};

[[nodiscard]] std::span<const WeightFormat> all_weight_formats();
/// The row of that name, or null.
[[nodiscard]] const WeightFormat* find_weight_format(std::string_view name);

/// Returns the names of the rows whose activations have such codes.
[[nodiscard]] std::vector<std::string_view> weight_formats_of(Quantisation quantisation);

/// Shapes of the scales of `experts` matrices of `rows` rows of `columns` numbers, of which `parts`
/// follow each other.
[[nodiscard]] std::vector<Shape> scale_shapes(const WeightFormat& format, const Shape& weights,
                                              std::uint32_t parts);

}  // namespace tessera::ops::fused_moe
