// SPDX-License-Identifier: Apache-2.0
// Schedules of the tensor of one device to all devices.
#include <algorithm>

#include "ops/shared/exchange/lanes.hpp"
#include "ops/shared/exchange/tree.hpp"

namespace tessera::ops::exchange {
namespace {

// Sends from the root to both ends of its line.
void broadcast_line(LanePlans& lane, std::uint32_t root, const Slice& whole) {
    const Walk all = lane.line();
    const auto from = std::ranges::find(all.devices, root);
    const Walk walk{{from, all.devices.end()}, false};
    // Only the forward lane stores the root's own copy; both lanes carry the whole tensor.
    lane.add_broadcast_chain(walk, whole, Place::Input, !lane.lane().is_backward);
}

// Sends around the root's row, then around all columns at once.
void broadcast_rows_columns(LanePlans& lane, std::uint32_t root, const Slice& whole) {
    // A broadcast is a gather in which only the root has a slice, so no schedule of its own is
    // needed.
    std::vector<Slice> slices(lane.size());
    slices[lane.position_of(root)] = whole;
    const Walk row = lane.rows()[lane.place_of(root) / lane.grid().shape.columns];
    lane.add_gather(row, lane.own(row, slices), Place::Input, true);
    for (const Walk& column : lane.columns()) {
        // The row's devices then have the slice, and each is the source of its column.
        if (column.size() > 1) {
            lane.add_gather(column, lane.of_rows(column, slices), Place::Output, false);
        }
    }
}

}  // namespace

GroupPlans broadcast_plans(const Exchange& exchange, std::uint32_t root, std::uint32_t bytes) {
    const Slice whole{0, 0, bytes};
    // On a ring both halves of the tensor travel at the same time, one in each direction.
    if (exchange.travel == Travel::Ring || exchange.travel == Travel::Bidirectional) {
        std::vector<Slice> slices(exchange.devices.size());
        slices[root] = whole;
        return all_gather_plans(exchange, slices);
    }
    const bool is_line = exchange.travel == Travel::Line;
    const auto lanes = lanes_of(exchange, is_line ? Halves::AllBothWays : Halves::OneEachWay);
    const std::uint32_t device = exchange.devices[root];
    return plans_of_lanes(exchange, lanes, [&](LanePlans& lane) {
        const Slice own = lane.lane().of(whole);
        if (exchange.travel == Travel::RowsColumns) {
            broadcast_rows_columns(lane, device, own);
        } else if (is_line) {
            broadcast_line(lane, device, own);
        } else {
            // The root keeps a copy too; the tree only sends.
            lane.add_copy(device, own);
            broadcast_tree(lane, device, own);
        }
    });
}

}  // namespace tessera::ops::exchange
