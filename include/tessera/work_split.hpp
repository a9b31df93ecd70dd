// SPDX-License-Identifier: Apache-2.0
// Spreading units of work over cores, with TT-Metalium's return values and core order.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "tessera/core_coord.hpp"

namespace tessera {

/// (num_cores, all_cores, group_1, group_2, units_per_core_group_1, units_per_core_group_2).
using WorkSplit =
    std::tuple<std::uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, std::uint32_t, std::uint32_t>;

enum class RowWise : bool { No = false, Yes = true };

/// Splits `units` over the cores of a grid whose logical size is `grid` (x columns, y rows).
/// The first `units % cores` cores, counted down the columns (along the rows if row-wise), form
/// group 1 and take one unit more.
/// Source   tt-metal tt_metal/common/work_split.cpp.
[[nodiscard]] WorkSplit split_work_to_cores(CoreCoord grid, std::uint32_t units,
                                            RowWise row_wise = RowWise::No);
[[nodiscard]] WorkSplit split_work_to_cores(const CoreRangeSet& grid, std::uint32_t units,
                                            RowWise row_wise = RowWise::No);

/// The first `num_cores` cores of a grid as at most three rectangles, in the split's order.
[[nodiscard]] CoreRangeSet num_cores_to_corerangeset(std::uint32_t num_cores, CoreCoord grid,
                                                     RowWise row_wise = RowWise::No);
[[nodiscard]] std::vector<CoreCoord> grid_to_cores(std::uint32_t num_cores, std::uint32_t columns,
                                                   std::uint32_t rows,
                                                   RowWise row_wise = RowWise::No);
[[nodiscard]] std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet& set,
                                                        std::uint32_t max_cores,
                                                        RowWise row_wise = RowWise::No);

}  // namespace tessera
