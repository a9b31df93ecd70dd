// SPDX-License-Identifier: Apache-2.0
// Schedules of every device's slice to all others.
#include "ops/shared/exchange/lanes.hpp"

namespace tessera::ops::exchange {
namespace {

// Slices as the phase before has stored them: read from the output.
StopSlices stored(StopSlices by_stop) {
    for (auto& slices : by_stop) {
        for (Slice& slice : slices) {
            slice.read_begin = slice.store_begin;
        }
    }
    return by_stop;
}

// Rings over the rows, then over the columns; the latter are left out where they are of one device.
void gather_rows_columns(LanePlans& lane, std::span<const Slice> slices) {
    for (const Walk& row : lane.rows()) {
        lane.add_gather(row, lane.own(row, slices), Place::Input, true);
    }
    for (const Walk& column : lane.columns()) {
        // In the second phase a device forwards the slices of its whole row.
        if (column.size() > 1) {
            lane.add_gather(column, stored(lane.of_rows(column, slices)), Place::Output, false);
        }
    }
}

}  // namespace

GroupPlans all_gather_plans(const Exchange& exchange, std::span<const Slice> slices) {
    const bool is_line = exchange.travel == Travel::Line;
    // On a line both directions carry the whole slice, from its owner to either end.
    const auto lanes = lanes_of(exchange, is_line ? Halves::AllBothWays : Halves::OneEachWay);
    return plans_of_lanes(exchange, lanes, [&](LanePlans& lane) {
        const std::vector<Slice> own = lane.lane().of(slices);
        if (exchange.travel == Travel::RowsColumns) {
            return gather_rows_columns(lane, own);
        }
        const Walk walk = is_line ? lane.line() : lane.ring();
        // On a line both lanes start at the owner, so only one stores its own slice.
        const bool stores_own = !is_line || !lane.lane().is_backward;
        lane.add_gather(walk, lane.own(walk, own), Place::Input, stores_own);
    });
}

}  // namespace tessera::ops::exchange
