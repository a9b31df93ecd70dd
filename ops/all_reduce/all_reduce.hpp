// SPDX-License-Identifier: Apache-2.0
// Sum of a tensor over all devices of a mesh; each of them ends with the same bytes.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ops/op_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::all_reduce {

inline constexpr std::array<std::string_view, 1> kSchedules{"ring"};
inline constexpr std::array kInputs{
    Operand{"input", "(T,H) on each device", "bfloat16", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"output", "(T,H) on each device", "bfloat16", "ROW_MAJOR"}};
inline constexpr OpSpec kSpec{
    .name = "all_reduce",
    .summary = "sum over the devices of the mesh, the same bytes on each",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    // One rounding to bfloat16 is 2^-9; twice that, for sums that cancel.
    .tolerance = {.max_relative_error = 0x1p-8, .min_pcc = 0.99999},
};

/// Both indexed by device id, all of the mesh's devices.
struct Inputs {
    std::span<const DeviceTensor> inputs;
};
struct Outputs {
    std::span<const DeviceTensor> outputs;
};

/// The spec of `input`, the same on each device.
/// Errors   UsageError if it is not bfloat16 (T,H) ROW_MAJOR without an extent of 0.
[[nodiscard]] TensorSpec output_spec(const TensorSpec& input);

/// Builds one program for each device, to be launched together.
///
/// Algorithm  ring over the devices as make_ring orders them: reduce-scatter, then all-gather.
///   Rows are cut into tiles of 1024 elements (their layout means nothing to a sum); up to four
///   cores a device, one for each link of a direction, take contiguous shares of the tiles, and
///   talk to the cores at their own coordinate. A share goes round in rounds of one chunk a device,
///   of at most `cb_depth` tiles. The receiving CBs hold 2 · `cb_depth` tiles.
/// Order      chunk c of D is summed from ring position c on: ((x_c + x_(c+1)) + …) + x_(c+D−1),
///   positions modulo D. Each addition is in fp32; partial sums travel as fp32, or rounded to
///   bfloat16 after each addition (`partial_sums`). The full sum is rounded to bfloat16 once, where
///   it is completed, and gathered as it is.
/// One device: a copy, on up to all of its cores.
///
/// Errors   UsageError if the number of tensors is not that of devices, a spec differs from the
///          first one's, a tensor is not interleaved, `cb_depth` is 0, or a ring step is too long.
[[nodiscard]] std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                                       const Inputs& inputs, const Outputs& outputs,
                                                       const AllReduceSpec& schedule);

/// Float32 sum of the devices' tensors, added in double.
[[nodiscard]] HostTensor reference(std::span<const HostTensor> inputs);

}  // namespace tessera::ops::all_reduce
