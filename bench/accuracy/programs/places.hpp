// SPDX-License-Identifier: Apache-2.0
// Placement of kernels and buffers in programs of measurements.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"
#include "tessera/data_format.hpp"
#include "tessera/program.hpp"

namespace tessera::score {

/// Elements along a side of a tile.
inline constexpr std::uint32_t kTileSide = 32;
/// Bytes of an element of bfloat16.
inline constexpr std::uint32_t kElementBytes = 2;

/// Core of single-core programs.
inline constexpr CoreCoord kOnlyCore{0, 0};

/// Gives kOnlyCore a circular buffer with room for `tiles` tiles.
void add_tiles(Program& program, std::uint8_t index, std::uint32_t tiles, DataFormat format);

/// Returns the first L1 address that a program may use freely.
[[nodiscard]] std::uint32_t free_l1(const ArchSpec& arch);

/// Returns the NoC coordinate of a logical core, as kernels use it in addresses.
[[nodiscard]] CoreCoord noc_coordinate(const ArchSpec& arch, CoreCoord logical);
/// Returns the same coordinate as these kernels' arguments: x << 16 | y.
[[nodiscard]] std::uint32_t packed_coordinate(const ArchSpec& arch, CoreCoord logical);

/// Ends the row (NotExpressible) if a core is outside of the compute grid.
void check_core(const ArchSpec& arch, CoreCoord logical);

/// Returns the first `count` cores, row by row.
/// Errors   NotExpressible if the grid has fewer.
[[nodiscard]] std::vector<CoreCoord> first_cores(const ArchSpec& arch, std::uint32_t count);

/// Returns the logical core at a physical NoC 0 coordinate.
/// Errors   NotExpressible if it is not a worker core that programs may use.
[[nodiscard]] CoreCoord logical_core(const ArchSpec& arch, CoreCoord physical);

}  // namespace tessera::score
