// SPDX-License-Identifier: Apache-2.0
// Row-major rows to tiles and back, on the device. Elements are moved, never converted.
#pragma once

#include <array>

#include "ops/op_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/program.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::to_layout {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "any, matrices in the last two dimensions",
                                            "bfloat16 | float32", "ROW_MAJOR | TILE"}};
inline constexpr std::array kOutputs{
    Operand{"output", "as the input", "as the input", "the other one"}};
inline constexpr OpSpec kSpec{
    .name = "to_layout",
    .summary = "rows to 32×32 tiles, padded with zeros, or tiles to rows without the padding",
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

/// The spec of `input` in the other layout.
/// Errors   UsageError if the format is not bfloat16 or float32.
[[nodiscard]] TensorSpec output_spec(const TensorSpec& input);

/// Builds the launch that copies `input` to `output`.
///
/// Work unit: one row of tiles, or a stretch of it (a block) where a row does not fit in L1 or the
/// tensor has fewer rows of tiles than the grid has cores. Units are spread by
/// split_work_to_cores, contiguously, in its core order.
///
/// Shapes   any; each matrix of the leading dimensions is padded to tiles by itself.
/// Errors   UsageError if output is not output_spec(input), a tensor is not interleaved, the
///          schedule's cb_depth is 0, its grid exceeds the device's, or L1 cannot hold one tile a
///          circular buffer at that depth.
[[nodiscard]] Program make_program(const ArchSpec& arch, const Inputs& inputs,
                                   const Outputs& outputs, const CopySpec& schedule);

/// The input: a host tensor has no layout.
[[nodiscard]] HostTensor reference(HostTensor input);

}  // namespace tessera::ops::to_layout
