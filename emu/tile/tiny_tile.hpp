// SPDX-License-Identifier: Apache-2.0
// Converts tiny tiles to 32×32 tiles and back. The tile engine works on 32×32 tiles only: a tiny
// tile takes its rows and columns of a tile that is zero elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/tile.hpp"

namespace tessera::tile {

/// Copies the tiny tile of `format` at `bytes` to a 32×32 tile that is zero elsewhere, and returns
/// it. The tile is in memory of the host thread and is valid until 32 more tiles have been widened.
[[nodiscard]] const std::byte* widen(DataFormat format, Tile tile, const std::byte* bytes);

/// Copies the part of the 32×32 tile `whole` that a tiny tile holds to `out`. The padding after
/// exponents is unchanged.
void narrow(DataFormat format, Tile tile, const std::byte* whole, std::byte* out);

/// As tilize_tile and untilize_tile, for the rows and columns of a tiny tile: the 32×32 tile
/// `whole` is zero elsewhere.
void tilize_rows(Tile tile, const std::byte* rows, std::size_t row_stride,
                 std::uint32_t element_bytes, std::byte* whole);
void untilize_rows(Tile tile, const std::byte* whole, std::uint32_t element_bytes, std::byte* rows,
                   std::size_t row_stride);

/// Sets the elements of a 32×32 tile of floats that are outside of a tiny tile.
void fill_outside(Tile tile, float value, float* values);

}  // namespace tessera::tile
