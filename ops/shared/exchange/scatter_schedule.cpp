// SPDX-License-Identifier: Apache-2.0
// Schedules of the sum of slice p on the device at position p.
#include <algorithm>

#include "ops/shared/exchange/lanes.hpp"

namespace tessera::ops::exchange {
namespace {

// Slices of a workspace have the places that they have in the input.
Slice unmoved(const Slice& slice) {
    return {slice.read_begin, slice.read_begin, slice.bytes};
}

// Over the rows each device sums what its column keeps, over the columns what it keeps itself.
// Either is left out where it is of one device.
void scatter_rows_columns(LanePlans& lane, std::span<const Slice> slices) {
    const bool has_rows = lane.grid().shape.columns > 1;
    const bool has_columns = lane.grid().shape.rows > 1;
    // Between the two phases sums stay where the input has them.
    std::vector<Slice> of_row(slices.begin(), slices.end());
    if (has_columns) {
        std::ranges::transform(slices, of_row.begin(), unmoved);
    }
    for (const Walk& row : has_rows ? lane.rows() : std::vector<Walk>{}) {
        lane.add_reduce_scatter(row, lane.of_columns(row, of_row), Place::Input,
                                has_columns ? Place::Workspace : Place::Output);
    }
    for (const Walk& column : has_columns ? lane.columns() : std::vector<Walk>{}) {
        lane.add_reduce_scatter(column, lane.own(column, slices),
                                has_rows ? Place::Workspace : Place::Input, Place::Output);
    }
}

}  // namespace

GroupPlans reduce_scatter_plans(const Exchange& exchange, std::span<const Slice> slices) {
    const auto lanes = lanes_of(exchange, Halves::OneEachWay);
    return plans_of_lanes(exchange, lanes, [&](LanePlans& lane) {
        const std::vector<Slice> own = lane.lane().of(slices);
        // A group of one device uses the ring, whose sum is a copy.
        if (exchange.travel == Travel::RowsColumns && lane.size() > 1) {
            return scatter_rows_columns(lane, own);
        }
        const Walk ring = lane.ring();
        lane.add_reduce_scatter(ring, lane.own(ring, own), Place::Input, Place::Output);
    });
}

}  // namespace tessera::ops::exchange
