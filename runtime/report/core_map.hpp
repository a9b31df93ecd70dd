// SPDX-License-Identifier: Apache-2.0
// A value per core, drawn in the shape of the core grid.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/report/text_style.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::report {

/// Shares from 0 to 1 by logical core: mean over devices.
/// Shapes   `shares` by (device, y, x); the result by (y, x).
[[nodiscard]] std::vector<double> mean_over_devices(std::span<const double> shares, GridSize grid);

/// One line per row of the grid, each core's share in whole per cent, "." for none, below a line
/// of column numbers; coloured by share. `title` stands above.
[[nodiscard]] std::string draw_core_map(const std::string& title, std::span<const double> shares,
                                        GridSize grid, const TextStyle& style);

/// Draws blocks of lines beside each other, as many as fit into the width, with a blank line
/// between rows of blocks. All blocks have the same number of lines, of at most `block_width`.
[[nodiscard]] std::string beside_each_other(std::span<const std::string> blocks,
                                            std::size_t block_width, const TextStyle& style);

/// Columns of one map.
[[nodiscard]] std::size_t core_map_width(GridSize grid) noexcept;

}  // namespace tessera::report
