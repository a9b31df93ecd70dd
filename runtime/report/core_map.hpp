// SPDX-License-Identifier: Apache-2.0
// Draws a value per core in the shape of the core grid.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/report/text_style.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::report {

/// Returns the mean over devices of each logical core's share, from 0 to 1.
/// Shapes   `shares` by (device, y, x); the result by (y, x).
[[nodiscard]] std::vector<double> mean_over_devices(std::span<const double> shares, GridSize grid);

/// Returns the title, a line of column numbers and a line for each row of the grid: each core's
/// share in whole per cent, "." for none, coloured by share.
[[nodiscard]] std::string draw_core_map(const std::string& title, std::span<const double> shares,
                                        GridSize grid, const TextStyle& style);

/// Draws blocks of lines side by side, as many as fit into the width, with a blank line between
/// rows of blocks. All blocks have the same number of lines, of at most `block_width` columns.
[[nodiscard]] std::string side_by_side(std::span<const std::string> blocks, std::size_t block_width,
                                       const TextStyle& style);

/// Returns the columns of one map.
[[nodiscard]] std::size_t core_map_width(GridSize grid) noexcept;

}  // namespace tessera::report
