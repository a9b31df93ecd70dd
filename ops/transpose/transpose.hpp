// SPDX-License-Identifier: Apache-2.0
// The matrices of a stack, transposed.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::transpose {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(..., M, N)", "bfloat16", "TILE"}};
inline constexpr std::array kOutputs{Operand{"output", "(..., N, M)", "bfloat16", "TILE"}};
inline constexpr OpSpec kSpec{
    .name = "transpose",
    .summary = "transposes each matrix",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: tiles are distributed over the cores by split_work_to_cores in
/// the order of the output; the unpacker transposes each.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::transpose
