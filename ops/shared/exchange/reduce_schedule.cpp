// SPDX-License-Identifier: Apache-2.0
// Schedules of the sum of the whole tensor on all devices.
#include "ops/shared/exchange/lanes.hpp"
#include "ops/shared/exchange/tree.hpp"

namespace tessera::ops::exchange {
namespace {

// Returns the part of each device in a tensor that all reduce: part i of n in the order of
// `owners`.
std::vector<Slice> owned(const LanePlans& lane, std::span<const std::uint32_t> owners,
                         const Slice& whole) {
    std::vector<Slice> slices(owners.size());
    const auto count = static_cast<std::uint32_t>(owners.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        slices[lane.position_of(owners[i])] = share_of(whole, i, count);
    }
    return slices;
}

void reduce_ring(LanePlans& lane, std::span<const std::uint32_t> devices, const Slice& whole) {
    // Reduce-scatter and then gather: each device sends 2 (n - 1) / n of the tensor, which hardly
    // grows with the number of devices.
    const Walk ring = lane.ring();
    const StopSlices slices = lane.own(ring, owned(lane, devices, whole));
    lane.add_reduce_scatter(ring, slices, Place::Input, Place::Output);
    lane.add_gather(ring, slices, Place::Output, false);
}

void reduce_line(LanePlans& lane, const Slice& whole) {
    // The sum goes to one end and returns. Each lane does so with half of the tensor, from opposite
    // ends.
    const Walk line = lane.line();
    lane.add_reduce_chain(line, whole, Place::Input, Place::Output);
    lane.add_broadcast_chain(reversed(line), whole, Place::Output, false);
}

// Sums over rows, then columns; gathers over columns, then rows.
void reduce_rows_columns(LanePlans& lane, const Slice& whole) {
    const GroupGrid& grid = lane.grid();
    std::vector<std::uint32_t> owners;  // column by column: a column's slices are contiguous
    for (std::uint32_t column = 0; column < grid.shape.columns; ++column) {
        for (std::uint32_t row = 0; row < grid.shape.rows; ++row) {
            owners.push_back(grid.at(row, column));
        }
    }
    const auto slices = owned(lane, owners, whole);
    // A side of one device has no links: its phase is left out.
    const auto rows = grid.shape.columns > 1 ? lane.rows() : std::vector<Walk>{};
    const auto columns = grid.shape.rows > 1 ? lane.columns() : std::vector<Walk>{};
    for (const Walk& row : rows) {
        // Sums over rows wait in the workspace for the columns.
        lane.add_reduce_scatter(row, lane.of_columns(row, slices), Place::Input,
                                columns.empty() ? Place::Output : Place::Workspace);
    }
    for (const Walk& column : columns) {
        lane.add_reduce_scatter(column, lane.own(column, slices),
                                rows.empty() ? Place::Input : Place::Workspace, Place::Output);
        lane.add_gather(column, lane.own(column, slices), Place::Output, false);
    }
    for (const Walk& row : rows) {
        lane.add_gather(row, lane.of_columns(row, slices), Place::Output, false);
    }
}

}  // namespace

GroupPlans all_reduce_plans(const Exchange& exchange, std::uint32_t bytes) {
    // Halves on a line, too: unlike a gathered slice, a half is summed in one direction and
    // returns.
    const auto lanes = lanes_of(exchange, Halves::OneEachWay);
    return plans_of_lanes(exchange, lanes, [&](LanePlans& lane) {
        const Slice whole = lane.lane().of(Slice{0, 0, bytes});
        // Alone, a device has only its own tensor to give.
        if (lane.size() == 1) {
            return lane.add_copy(exchange.devices[0], whole);
        }
        switch (exchange.travel) {
            case Travel::RowsColumns:
                return reduce_rows_columns(lane, whole);
            case Travel::Line:
                return reduce_line(lane, whole);
            case Travel::Tree:
                return reduce_tree(lane, whole);
            default:
                return reduce_ring(lane, exchange.devices, whole);
        }
    });
}

}  // namespace tessera::ops::exchange
