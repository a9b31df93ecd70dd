// SPDX-License-Identifier: Apache-2.0
// Softmax along rows, whole or of the columns that a causal mask leaves.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::softmax {

struct SoftmaxSpec {
    double scale = 1;                 ///< factor of the inputs
    std::uint32_t causal_rows = 0;    ///< rows per position; 0: no causal mask
    std::uint32_t causal_period = 1;  ///< positions, after which rows begin at the first one again
    std::uint32_t causal_first = 0;   ///< first position; columns up to it are visible
    GridSize grid;                    ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., N)", "bfloat16 | float32", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., N)", "bfloat16 | float32", "ROW_MAJOR"}};
/// One rounding to bfloat16 is at most 2^-8 of the element.
inline constexpr OpSpec kSpec{
    .name = "softmax",
    .summary = "exponentials of a row over their sum, of all columns or of causal ones",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.0045, .min_pcc = 0.99999},
};

/// Returns the op, for the registry: output[r,c] = e^(scale·input[r,c]) / Σ e^(scale·input[r,·])
/// over the visible columns of row r, 0 elsewhere. With `causal_rows` row r has position
/// causal_first + r / causal_rows % causal_period, and the columns up to this position are visible.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::softmax
