// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/core_set.hpp"

#include <algorithm>

#include "ops/shared/work_share.hpp"
#include "tessera/work_split.hpp"

namespace tessera::ops::matmul {
namespace {

bool is_sharded(const MatmulOperandSpec& operand) {
    return operand.placement == TensorPlacement::L1BlockSharded ||
           operand.placement == TensorPlacement::L1HeightSharded;
}

CoreRange bounding_box(const CoreRangeSet& cores) {
    CoreCoord end{0, 0};
    for (const CoreRange& range : cores.ranges()) {
        end = {std::max(end.x, range.end_coord.x), std::max(end.y, range.end_coord.y)};
    }
    return CoreRange({0, 0}, end);
}

CoreRole role_in_line(const CoreRangeSet& cores, std::uint32_t index, CoreCoord core,
                      const MatmulSpec& schedule) {
    // Multicast reaches rectangles only. An incomplete last row leaves cores in the box that run no
    // kernel: they receive the data, but send no reply.
    const CoreRange box = bounding_box(cores);
    const Audience everyone{{0, 0}, box, box.size() - 1, cores.num_cores() - 1};
    // Only core (0,0) reads the shared operand, so each of its tiles leaves DRAM once.
    const Feed shared = index == 0 ? Feed::Reads : Feed::Receives;
    CoreRole role{.core = core};
    if (schedule.multicast_operand == MulticastOperand::In1) {
        role.row = index;
        role.in0 = is_sharded(schedule.in0) ? Feed::Shards : Feed::Reads;
        role.in1 = shared;
        role.in1_audience = everyone;
    } else {
        role.column = index;
        role.in0 = shared;
        role.in0_audience = everyone;
    }
    return role;
}

/// Returns the receivers of a sender at the start of a line of `length` cores; a line of one has
/// none.
Audience line_audience(CoreCoord sender, CoreCoord next, CoreCoord last, std::uint32_t length) {
    if (length == 1) {
        return {.sender = sender};
    }
    return {sender, CoreRange(next, last), length - 1, length - 1};
}

CoreRole role_in_grid(const Blocking& blocking, CoreCoord core, const MatmulSpec& schedule) {
    const std::uint32_t columns = blocking.n.cores;
    const std::uint32_t rows = blocking.m.cores;
    CoreRole role{.core = core, .row = core.y, .column = core.x};
    role.in0 = core.x == 0 ? Feed::Reads : Feed::Receives;
    role.in0_audience = line_audience({0, core.y}, {1, core.y}, {columns - 1, core.y}, columns);
    if (is_sharded(schedule.in0)) {
        // The cores of a row take turns in sending their shards, so the rectangle is the whole row
        // and includes the sender.
        role.in0 = Feed::Shards;
        role.in0_audience.rectangle = CoreRange({0, core.y}, {columns - 1, core.y});
    }
    role.in1 = core.y == 0 ? Feed::Reads : Feed::Receives;
    role.in1_audience = line_audience({core.x, 0}, {core.x, 1}, {core.x, rows - 1}, rows);
    // Only cores that receive both operands swap their NoCs. A sending core keeps the NoC for whose
    // direction its rectangle was built.
    role.has_swapped_nocs =
        columns > 2 && core.y > 0 && core.x > columns / 2 && !is_sharded(schedule.in0);
    return role;
}

}  // namespace

CoreRangeSet cores_of(const ArchSpec& arch, const Blocking& blocking, const MatmulSpec& schedule) {
    if (schedule.schedule != MatmulSchedule::Multicast1D) {
        return CoreRange({0, 0}, {blocking.n.cores - 1, blocking.m.cores - 1});
    }
    const CoreCoord grid = schedule_grid("matmul", arch, schedule.grid);
    return num_cores_to_corerangeset(blocking.m.cores * blocking.n.cores, grid, RowWise::Yes);
}

std::vector<CoreRole> core_roles(const ArchSpec& arch, const Blocking& blocking,
                                 const MatmulSpec& schedule) {
    const CoreRangeSet cores = cores_of(arch, blocking, schedule);
    std::vector<CoreRole> roles;
    for (const CoreCoord core : cores.cores()) {
        const auto index = static_cast<std::uint32_t>(roles.size());
        roles.push_back(schedule.schedule == MatmulSchedule::Multicast1D
                            ? role_in_line(cores, index, core, schedule)
                            : role_in_grid(blocking, core, schedule));
    }
    return roles;
}

}  // namespace tessera::ops::matmul
