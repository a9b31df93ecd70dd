// SPDX-License-Identifier: Apache-2.0
// Sum over the devices of a row or column of a mesh, of which each device keeps its own slice.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "ops/mesh_line.hpp"
#include "ops/op_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::reduce_scatter {

inline constexpr std::array<std::string_view, 1> kSchedules{"line"};
inline constexpr std::array kInputs{Operand{"input", "(D·R,C) on each device", "bfloat16", "TILE"}};
inline constexpr std::array kOutputs{Operand{"output", "(R,C) on each device", "bfloat16", "TILE"}};
inline constexpr OpSpec kSpec{
    .name = "reduce_scatter",
    .summary = "sum over a row of devices, each keeps its slice",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    // Partial sums are rounded to bfloat16 on every hop: up to seven roundings of 2^-9 on eight
    // devices, and sums that cancel.
    .tolerance = {.max_relative_error = 0x1p-5, .min_pcc = 0.9999},
};

/// How tiles travel. A tile is a packet.
struct Schedule {
    Lanes lanes;
    std::uint32_t sync_tiles = 8;  ///< tiles behind which the receiver is told
    std::uint32_t cb_depth = 2;    ///< times `sync_tiles` that each circular buffer holds
};

/// All indexed by device id, all of the mesh's devices.
struct Inputs {
    std::span<const DeviceTensor> inputs;
};
struct Outputs {
    std::span<const DeviceTensor> outputs;
    /// Where partial sums from the device before (behind) arrive; as the input.
    std::span<const DeviceTensor> partial_forward;
    std::span<const DeviceTensor> partial_backward;
};

/// The spec of `input` with its rows divided by `devices`.
/// Errors   UsageError if it is not a bfloat16 TILE tensor of rank 2 whose rows are a multiple of
///          32 · devices.
[[nodiscard]] TensorSpec output_spec(const TensorSpec& input, std::uint32_t devices);

/// Builds one program for each device, to be launched together.
///
/// Algorithm  slice j is summed from both ends of the line towards device j: each device adds its
///   own tiles to what came from the device before and sends the sum on, farthest slices first;
///   device j adds its own and what came from both sides. One core for each lane and direction
///   takes its share of each slice's tiles. A ring is used as a line.
/// Order      own + (from the longer side of the line) + (from the shorter), each addition in fp32;
/// sums that
///   travel, and the result, are rounded to bfloat16.
/// Start      no core sends before all devices it gets something from have told it that they run.
/// Errors   UsageError if the mesh is no single row or column, the number of tensors is not that of
///          devices, specs disagree, a tensor is not interleaved, or the schedule has a 0, more
///          links than a direction has, or more workers than the device has cores.
[[nodiscard]] std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                                       const Inputs& inputs, const Outputs& outputs,
                                                       const Schedule& schedule);

/// Float32 sum of the devices' tensors, added in double; the slice of `device`.
[[nodiscard]] HostTensor reference(std::span<const HostTensor> inputs, std::uint32_t device);

}  // namespace tessera::ops::reduce_scatter
