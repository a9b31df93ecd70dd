// SPDX-License-Identifier: Apache-2.0
// Page by page from one interleaved tensor to another: DRAM or L1 to DRAM or L1.
#pragma once

#include <array>
#include <string_view>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::copy {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(..., N)", "any", "any"}};
inline constexpr std::array kOutputs{Operand{"output", "(..., N)", "=input", "=input"}};
inline constexpr OpSpec kSpec{
    .name = "copy",
    .summary = "copies pages of an interleaved tensor to another memory or address",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
/// Builds the launch: pages are distributed over the cores by split_work_to_cores in contiguous
/// ranges and go through one circular buffer, a page and a barrier at a time.
///
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::copy
