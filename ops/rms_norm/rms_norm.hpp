// SPDX-License-Identifier: Apache-2.0
// Rows divided by the root of their mean square, times a weight for each column.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/row_strips/split_strips.hpp"

namespace tessera::ops {

/// Parameters of norms.
struct NormSpec {
    double epsilon = 1e-6;    ///< added to the mean square, or to the variance
    GridSize grid;            ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t split = 0;  ///< cores that share the columns of 32 rows; 0: chosen by the shape

    [[nodiscard]] SplitSchedule schedule() const { return {.grid = grid, .split = split}; }
};

}  // namespace tessera::ops

namespace tessera::ops::rms_norm {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., C)", "bfloat16", "ROW_MAJOR"},
    Operand{"weight", "(C)", "bfloat16", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., C)", "bfloat16 | float32", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 of the element; sums of squares are right to 2^-16.
inline constexpr OpSpec kSpec{
    .name = "rms_norm",
    .summary = "rows divided by the root of their mean square, times weights",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.0045, .min_pcc = 0.99999},
};

/// Returns the op, for the registry: output[r,c] = input[r,c] / √(mean of input[r]² + epsilon) ·
/// weight[c]. Everything but the last rounding is fp32 in the vector unit. Units of 32 rows are
/// distributed over the cores; if there are few of them, `split` cores share the columns of each.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::rms_norm
