// SPDX-License-Identifier: Apache-2.0
// Plans of collectives: one function for each collective, one case for each route.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/shared/exchange/group.hpp"
#include "ops/shared/exchange/plan.hpp"

namespace tessera::ops::exchange {

/// Ring: everything in one direction. Bidirectional: half of every slice in each direction. Line:
/// in both directions from end to end. RowsColumns: rings (half in each direction) over the rows,
/// then over the columns. Tree: pairs at distance 1, 2, 4, … in each row, then in one column.
/// group.hpp defines rings, lines, rows and columns of a group.
enum class Travel : std::uint8_t { Ring, Bidirectional, Line, RowsColumns, Tree };

}  // namespace tessera::ops::exchange

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::exchange::Travel>{
    EnumName<ops::exchange::Travel>{"ring", ops::exchange::Travel::Ring},
    EnumName<ops::exchange::Travel>{"bidirectional", ops::exchange::Travel::Bidirectional},
    EnumName<ops::exchange::Travel>{"line", ops::exchange::Travel::Line},
    EnumName<ops::exchange::Travel>{"rows_columns", ops::exchange::Travel::RowsColumns},
    EnumName<ops::exchange::Travel>{"tree", ops::exchange::Travel::Tree},
};

}  // namespace tessera::config

namespace tessera::ops::exchange {

/// Returns the number of cores for each link; a device's plans are those of the first link's cores,
/// then the next one's.
[[nodiscard]] std::uint32_t ways_of(Travel travel);

/// Input of the plans of a group.
struct Exchange {
    const MeshSpec& mesh;
    std::span<const std::uint32_t> devices;  ///< ids in the order of positions
    std::uint32_t links = 1;
    Travel travel = Travel::Ring;
};

/// Returns plans by which each device's slice reaches each other device. `slices` by position: read
/// from an input, stored in the output.
/// Precondition   `travel` is not Tree.
[[nodiscard]] GroupPlans all_gather_plans(const Exchange& exchange, std::span<const Slice> slices);

/// Returns plans by which the sum of slice p stays on the device at position p.
/// Order   Ring, and the first half of each slice of Bidirectional: over the ring's stops from the
///   one after p on, in walking order, p last. The second half: the same, in reverse order. From
///   each stop to the next, sums have the format `partial_sums`. RowsColumns: each half over the
///   row (from the column after p's), then these sums, in the format `partial_sums`, over p's
///   column.
/// Precondition   Ring, Bidirectional or RowsColumns.
[[nodiscard]] GroupPlans reduce_scatter_plans(const Exchange& exchange,
                                              std::span<const Slice> slices);

/// Returns plans by which the sum of the whole tensor reaches all devices.
/// Order   Ring, Bidirectional: units are distributed over the cores of a device (forward cores
///   first), each core's over the stops of the ring; the stops' units are summed as by
///   reduce_scatter. RowsColumns: the same over the row, then these sums, as `partial_sums`, over
///   the column. Line: the first half from the first device of the line to the last, the second
///   half from the last to the first. Tree: sum(d) = received + own at distance 1, 2, 4, … of
///   columns, then of rows, each as `partial_sums`.
[[nodiscard]] GroupPlans all_reduce_plans(const Exchange& exchange, std::uint32_t bytes);

/// Returns plans by which the tensor of the device at position `root` reaches each other device.
[[nodiscard]] GroupPlans broadcast_plans(const Exchange& exchange, std::uint32_t root,
                                         std::uint32_t bytes);

}  // namespace tessera::ops::exchange
