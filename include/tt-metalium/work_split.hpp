// SPDX-License-Identifier: Apache-2.0
// Distribution of units of work over cores.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>

#include "tt-metalium/core_coord.hpp"

namespace tt::tt_metal {

/// (number of cores, all cores, group 1, group 2, units per core of group 1, of group 2).
using WorkSplit = std::tuple<std::uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, std::uint32_t,
                             std::uint32_t>;

/// Splits `units` over a grid. The first `units % cores` cores form group 1 and get one unit more.
/// Cores are counted down the columns, or along the rows if row-wise.
[[nodiscard]] WorkSplit split_work_to_cores(CoreCoord grid_size, std::uint32_t units,
                                            bool row_wise = false);
/// Splits `units` over the cores of a set, rectangle by rectangle.
[[nodiscard]] WorkSplit split_work_to_cores(const CoreRangeSet& grid, std::uint32_t units,
                                            bool row_wise = false);

/// Returns the first `num_cores` cores of a grid as rectangles.
[[nodiscard]] CoreRangeSet num_cores_to_corerangeset(std::uint32_t num_cores, CoreCoord grid_size,
                                                     bool row_wise = false);
/// Returns `num_cores` cores of a grid from `start` on.
[[nodiscard]] CoreRangeSet num_cores_to_corerangeset(CoreCoord start, std::uint32_t num_cores,
                                                     CoreCoord grid_size, bool row_wise = false);
/// Returns the rectangles of num_cores_to_corerangeset().
[[nodiscard]] inline std::set<CoreRange> num_cores_to_corerange_set(std::uint32_t num_cores,
                                                                    CoreCoord grid_size,
                                                                    bool row_wise = false) {
    const CoreRangeSet set = num_cores_to_corerangeset(num_cores, grid_size, row_wise);
    return {set.ranges().begin(), set.ranges().end()};
}

/// Returns the largest divisor of `value` up to `most` other than 5 and 7, like the vendor's
/// function.
[[nodiscard]] int find_max_divisor(std::uint32_t value, std::uint32_t most);
/// Returns the largest divisor of `value` up to `most`.
[[nodiscard]] int find_max_block_size(std::uint32_t value, std::uint32_t most = 8);

}  // namespace tt::tt_metal
