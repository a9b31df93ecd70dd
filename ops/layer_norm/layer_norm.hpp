// SPDX-License-Identifier: Apache-2.0
// Rows less their mean over their standard deviation, times a weight, plus a bias for each column.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/rms_norm/rms_norm.hpp"

namespace tessera::ops::layer_norm {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., C)", "bfloat16", "ROW_MAJOR"},
    Operand{"weight", "(C)", "bfloat16", "ROW_MAJOR"},
    Operand{"bias", "(C)", "bfloat16", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., C)", "bfloat16 | float32", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 of the element; sums are right to 2^-16, of which a
/// bias that takes most of a result away leaves more.
inline constexpr OpSpec kSpec{
    .name = "layer_norm",
    .summary = "rows less their mean over their deviation, times weights, plus a bias",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.0045, .min_pcc = 0.99999},
};

/// Returns the op, for the registry: output[r,c] = (input[r,c] − mean) / √(variance + epsilon) ·
/// weight[c] + bias[c], mean and variance (over C, not C − 1) of row r. Everything but the
/// last rounding is fp32 in the vector unit. Cores share rows and columns as those of rms_norm do.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::layer_norm
