// SPDX-License-Identifier: Apache-2.0
// Where programs of measurements put their kernels and buffers.
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

/// Where programs of one core run.
inline constexpr CoreCoord kOnlyCore{0, 0};

/// Gives kOnlyCore a circular buffer with room for `tiles` tiles.
void add_tiles(Program& program, std::uint8_t index, std::uint32_t tiles, DataFormat format);

/// First L1 address that a program may use as it likes.
[[nodiscard]] std::uint32_t free_l1(const ArchSpec& arch);

/// NoC coordinate of a logical core as a kernel puts it into addresses.
[[nodiscard]] CoreCoord noc_coordinate(const ArchSpec& arch, CoreCoord logical);
/// The same as kernels here take it: x << 16 | y.
[[nodiscard]] std::uint32_t packed_coordinate(const ArchSpec& arch, CoreCoord logical);

/// Ends the row (NotExpressible) if a core lies outside of the compute grid.
void check_core(const ArchSpec& arch, CoreCoord logical);

/// The first `count` cores, row by row.
/// Errors   NotExpressible if the grid has fewer.
[[nodiscard]] std::vector<CoreCoord> first_cores(const ArchSpec& arch, std::uint32_t count);

/// Logical core at a physical NoC 0 coordinate.
/// Errors   NotExpressible if no worker core that programs may use is there.
[[nodiscard]] CoreCoord logical_core(const ArchSpec& arch, CoreCoord physical);

}  // namespace tessera::score
