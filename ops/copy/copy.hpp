// SPDX-License-Identifier: Apache-2.0
// Page by page from one interleaved tensor to another: DRAM or L1 to DRAM or L1.
#pragma once

#include <array>
#include <string_view>

#include "ops/op_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::copy {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "any", "any", "ROW_MAJOR | TILE"}};
inline constexpr std::array kOutputs{Operand{"output", "as the input", "as the input", "the same"}};
inline constexpr OpSpec kSpec{
    .name = "copy",
    .summary = "pages of an interleaved tensor to another memory, or to another place in it",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

struct Inputs {
    const DeviceTensor& input;
};
struct Outputs {
    const DeviceTensor& output;
};

/// Builds the launch: pages are dealt to the cores by split_work_to_cores in contiguous ranges and
/// go through one circular buffer, a page and a barrier at a time.
///
/// Errors   UsageError if the specs differ, a tensor is sharded or has no elements, the schedule's
///          cb_depth is 0, its grid exceeds the device's, or its buffer the L1.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Inputs& inputs,
                                   const Outputs& outputs, const CopySpec& schedule);

/// The input.
[[nodiscard]] HostTensor reference(const HostTensor& input);

}  // namespace tessera::ops::copy
