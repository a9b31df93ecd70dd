// SPDX-License-Identifier: Apache-2.0
// One device's part of a gather straight into memory.
#pragma once

#include "ops/all_gather/all_gather.hpp"
#include "ops/all_gather/kernels/args.hpp"
#include "ops/all_gather/travel.hpp"

namespace tessera::ops::all_gather {

/// One device's part.
struct Place {
    const MeshLine& line;
    std::uint32_t position;
    const DeviceTensor& input;
    const DeviceTensor& output;
    const Schedule& schedule;

    [[nodiscard]] Travel travel(Way way) const {
        return line.is_ring ? travel_on_ring(line.devices, way, schedule.farthest)
                            : travel_on_line(line.devices, position, way);
    }
    /// Returns the devices that packets of this one reach in the end.
    [[nodiscard]] std::uint32_t num_targets(Way way) const {
        return line.is_ring          ? travel(way).num_sent
               : way == Way::Forward ? line.devices - 1 - position
                                     : position;
    }
    /// Returns whether this way copies the own pages. They are copied by the core that reads them
    /// anyway.
    [[nodiscard]] bool copies(Way way) const {
        const bool forward_sends = travel(Way::Forward).num_sent != 0;
        return (way == Way::Forward) == (forward_sends || travel(Way::Backward).num_sent == 0);
    }
};

/// Returns the tensors of the kernels of both algorithms.
[[nodiscard]] ReaderTensors reader_tensors(const Place& place);
[[nodiscard]] WriterTensors writer_tensors(const Place& place);

/// Creates the circular buffer between reader and writer.
void create_buffer(Program& program, const CoreRangeSet& cores, const Place& place);

/// Returns the device's program of Algorithm::Multicast.
[[nodiscard]] Program multicast_program(const ArchSpec& arch, const Place& place);

/// Returns the programs of Algorithm::Pages and Multicast, one for each device.
[[nodiscard]] std::vector<DeviceProgram> line_programs(const OpContext& context);

/// Returns the first rows of each device's tensor, as `counts` has them, one after the other;
/// zeros after them.
[[nodiscard]] std::vector<HostTensor> reference(const ReferenceContext& context);

}  // namespace tessera::ops::all_gather
