// SPDX-License-Identifier: Apache-2.0
// Row-major rows to tiles and back, on the device. Elements are moved, never converted.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::to_layout {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(..., N)", "bfloat16 | float32", "any"}};
inline constexpr std::array kOutputs{Operand{"output", "(..., N)", "=input", "!input"}};
inline constexpr OpSpec kSpec{
    .name = "to_layout",
    .summary = "converts rows to 32×32 tiles, padded with zeros, or tiles to rows without padding",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
/// Builds the launch that copies `input` to `output`.
///
/// Work unit: one row of tiles, or a stretch of it (a block). Blocks are used if a row does not fit
/// in L1, or if the tensor has fewer rows of tiles than the grid has cores. Units are spread by
/// split_work_to_cores, contiguously, in its core order.
///
/// Shapes   any; each matrix of the leading dimensions is padded to tiles by itself.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::to_layout
