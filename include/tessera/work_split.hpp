// SPDX-License-Identifier: Apache-2.0
// Distribution of units of work over cores, with TT-Metalium's return values and core order.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "tessera/core_coord.hpp"

namespace tessera {

/// (num_cores, all_cores, group_1, group_2, units_per_core_group_1, units_per_core_group_2).
using WorkSplit = std::tuple<std::uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, std::uint32_t,
                             std::uint32_t>;

enum class RowWise : bool { No = false, Yes = true };

/// Splits `units` over the cores of a grid whose logical size is `grid` (x columns, y rows).
///
/// num_cores = min(units, cores of the grid). The first `units % num_cores` cores, counted down
/// the columns (along the rows if row-wise), form group 1 and take one unit more than the rest,
/// group 2. If nothing remains, group 1 is all cores and group 2 is empty with 0 units each.
/// No units: no cores, empty sets, zeros.
///
/// Errors   UsageError if the grid has no cores.
/// Source   tt-metal tt_metal/common/work_split.cpp.
[[nodiscard]] WorkSplit split_work_to_cores(CoreCoord grid, std::uint32_t units,
                                            RowWise row_wise = RowWise::No);

/// Splits `units` over a set of rectangles, in the set's order and inside each rectangle as above.
///
/// Differs from upstream where upstream contradicts its own contract: column-major, when group 1
/// ends at the foot of a column inside a rectangle, tt-metal starts group 2 at the *last* row of
/// the next column and then runs out of cores; and it drops rectangles of a single core. Here
/// group 2 is always the cores after group 1.
///
/// Errors   UsageError if the set is empty.
[[nodiscard]] WorkSplit split_work_to_cores(const CoreRangeSet& grid, std::uint32_t units,
                                            RowWise row_wise = RowWise::No);

/// Returns the first `num_cores` cores of a grid, in the split's order, as at most two rectangles:
/// whole lines and a partial last line.
/// Errors   UsageError if the grid has fewer cores.
[[nodiscard]] CoreRangeSet num_cores_to_corerangeset(std::uint32_t num_cores, CoreCoord grid,
                                                     RowWise row_wise = RowWise::No);

/// Returns the first `num_cores` cores of a grid in the split's order.
/// Errors   UsageError if the grid has fewer cores.
[[nodiscard]] std::vector<CoreCoord> grid_to_cores(std::uint32_t num_cores, std::uint32_t columns,
                                                   std::uint32_t rows,
                                                   RowWise row_wise = RowWise::No);

/// Returns the first `max_cores` cores of a set (all, if it has fewer), rectangle by rectangle,
/// each down its columns (along its rows if row-wise). `CoreRangeSet::cores()` differs: always row
/// by row.
[[nodiscard]] std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet& set,
                                                        std::uint32_t max_cores,
                                                        RowWise row_wise = RowWise::No);

}  // namespace tessera
