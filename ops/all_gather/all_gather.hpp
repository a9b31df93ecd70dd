// SPDX-License-Identifier: Apache-2.0
// The tensors of all devices of a row or column of a mesh, one behind the other, on each device.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "ops/all_gather/travel.hpp"
#include "ops/mesh_line.hpp"
#include "ops/op_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::all_gather {

inline constexpr std::array<std::string_view, 2> kSchedules{"line", "ring"};
inline constexpr std::array kInputs{
    Operand{"input", "(R,…) on each device", "any", "ROW_MAJOR | TILE"}};
inline constexpr std::array kOutputs{
    Operand{"output", "(D·R,…) on each device", "any", "ROW_MAJOR | TILE"}};
inline constexpr OpSpec kSpec{
    .name = "all_gather",
    .summary = "tensors of a row of devices, one behind the other on each",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// How pages travel. A page is a packet.
struct Schedule {
    Lanes lanes;
    FarthestSlice farthest = FarthestSlice::HalfEachWay;
    std::uint32_t sync_pages = 4;   ///< pages behind which the receiver is told
    std::uint32_t batch_pages = 0;  ///< pages read at a time; 0: sync_pages
    std::uint32_t cb_depth = 2;     ///< batches that a circular buffer holds

    [[nodiscard]] std::uint32_t batch() const {
        return batch_pages == 0 ? sync_pages : batch_pages;
    }
};

/// Both indexed by device id, all of the mesh's devices.
struct Inputs {
    std::span<const DeviceTensor> inputs;
};
struct Outputs {
    std::span<const DeviceTensor> outputs;
};

/// The spec of `input` with its first extent times `devices`.
/// Errors   UsageError if a TILE tensor's pages would not stay whole: rank 2 with rows that are not
///          a multiple of 32.
[[nodiscard]] TensorSpec output_spec(const TensorSpec& input, std::uint32_t devices);

/// Builds one program for each device, to be launched together.
///
/// Algorithm  each device sends its pages to both neighbours, and passes on what it got from the
///   one to the other, slice by slice, out of its own output, once the count that comes behind each
///   `sync_pages` pages says that they are there. On a ring of D devices slices travel ⌊D/2⌋ hops
///   each way; with even D each way carries half of the farthest slice, or the forward way all of
///   it. One core for each lane and direction takes its share of each slice's pages.
/// Start      no core sends before all devices it gets something from have told it that they run.
/// Errors   UsageError if the mesh is no single row or column, the number of tensors is not that of
///          devices, specs disagree, a tensor is not interleaved, or the schedule has a 0, more
///          links than a direction has, or more workers than the device has cores.
[[nodiscard]] std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                                       const Inputs& inputs, const Outputs& outputs,
                                                       const Schedule& schedule);

/// The tensors one behind the other.
[[nodiscard]] HostTensor reference(std::span<const HostTensor> inputs);

}  // namespace tessera::ops::all_gather
