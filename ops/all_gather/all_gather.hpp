// SPDX-License-Identifier: Apache-2.0
// The tensors of all devices of a row or column of a mesh, one behind the other, on each device.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "ops/all_gather/travel.hpp"
#include "ops/mesh_line.hpp"
#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::all_gather::FarthestSlice>{
    EnumName<ops::all_gather::FarthestSlice>{"half_each_way",
                                             ops::all_gather::FarthestSlice::HalfEachWay},
    EnumName<ops::all_gather::FarthestSlice>{"forward", ops::all_gather::FarthestSlice::Forward},
};

}  // namespace tessera::config

namespace tessera::ops::all_gather {

inline constexpr std::array<std::string_view, 2> kSchedules{"line", "ring"};
inline constexpr std::array kInputs{Operand{"input", "(R, ...)", "any", "any"}};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(D*R, ...)",
                                             .format = "=input",
                                             .layout = "=input",
                                             .replicas = Replicas::Same}};
inline constexpr OpSpec kSpec{
    .name = "all_gather",
    .summary = "tensors of a row of devices, one behind the other on each",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// The op, for the registry.
[[nodiscard]] const Op& op();

/// How pages travel. A page is a packet.
struct Schedule {
    std::uint32_t links = 1;    ///< of each direction
    std::uint32_t workers = 1;  ///< cores for each link of each direction
    FarthestSlice farthest = FarthestSlice::HalfEachWay;
    std::uint32_t sync_pages = 4;   ///< pages behind which the receiver is told
    std::uint32_t batch_pages = 0;  ///< pages read at a time; 0: sync_pages
    std::uint32_t cb_depth = 2;     ///< batches that a circular buffer holds

    [[nodiscard]] Lanes lanes() const { return {links, workers}; }
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

/// Builds one program for each device, to be launched together.
///
/// Algorithm  each device sends its pages to both neighbours, and passes on what it got from the
///   one to the other, slice by slice, out of its own output, once the count that comes behind each
///   `sync_pages` pages says that they are there. On a ring of D devices slices travel ⌊D/2⌋ hops
///   each way; with even D each way carries half of the farthest slice, or the forward way all of
///   it. One core for each lane and direction takes its share of each slice's pages.
/// Start      no core sends before all devices it gets something from have told it that they run.
/// Errors   UsageError if the number of tensors is not that of devices, or the contract or a rule
///          of the op does not hold: the mesh is a single row or column, a TILE tensor's pages stay
///          whole, the device has the links and cores.
[[nodiscard]] std::vector<DeviceProgram> make_programs(const ArchSpec& arch, const MeshSpec& mesh,
                                                       const Inputs& inputs, const Outputs& outputs,
                                                       const Schedule& schedule);

/// The tensors one behind the other.
[[nodiscard]] HostTensor reference(std::span<const HostTensor> inputs);

}  // namespace tessera::ops::all_gather
