// SPDX-License-Identifier: Apache-2.0
// Tiny tiles to 32×32 ones and back. Units here work on 32×32 tiles only: a tiny one takes the
// place of its rows and columns in one that is zero elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/tile.hpp"

namespace tessera::tile {

/// Copies the tiny tile of `format` at `bytes` to a 32×32 one that is zero elsewhere, and returns
/// it. It lies in memory of the host thread and stays valid until 32 more have been widened.
[[nodiscard]] const std::byte* widen(DataFormat format, Tile tile, const std::byte* bytes);

/// Copies what a tiny tile holds out of the 32×32 tile `whole` to `out`; the padding behind
/// exponents is left as it is.
void narrow(DataFormat format, Tile tile, const std::byte* whole, std::byte* out);

/// As tilize_tile and untilize_tile, of as many rows and columns as a tile has: the 32×32 one
/// `whole` is zero elsewhere.
void tilize_rows(Tile tile, const std::byte* rows, std::size_t row_stride,
                 std::uint32_t element_bytes, std::byte* whole);
void untilize_rows(Tile tile, const std::byte* whole, std::uint32_t element_bytes, std::byte* rows,
                   std::size_t row_stride);

/// Sets the elements of a 32×32 tile of floats that lie outside of a tiny one.
void fill_outside(Tile tile, float value, float* values);

}  // namespace tessera::tile
