// SPDX-License-Identifier: Apache-2.0
// Every element times a number: the smallest op with parameters, and what `tessera new op` copies.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::scale {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(..., M, N)", "bfloat16", "TILE"}};
inline constexpr std::array kOutputs{Operand{"output", "(..., M, N)", "bfloat16", "TILE"}};
/// One rounding to bfloat16 is at most 2^-8 = 0.0039 of the element.
inline constexpr OpSpec kSpec{
    .name = "scale",
    .summary = "multiplies each element by a number",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999, .floor = kElementWise},
};

struct ScaleSpec {
    double factor = 1;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< tiles that each CB holds
};

/// Returns the op, for the registry: tiles are distributed over the cores by split_work_to_cores in
/// contiguous ranges and go through reader, compute and writer one at a time.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::scale
