// SPDX-License-Identifier: Apache-2.0
// Converts row-major elements to tiles in face order and back, for any element size. Elements are
// moved, never converted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::tile {

/// Converts 32 rows of 32 elements, `row_stride` bytes apart, to one tile.
void tilize_tile(const std::byte* rows, std::size_t row_stride, std::uint32_t element_bytes,
                 std::byte* tile);

/// Converts one tile to 32 rows of 32 elements, `row_stride` bytes apart.
void untilize_tile(const std::byte* tile, std::uint32_t element_bytes, std::byte* rows,
                   std::size_t row_stride);

/// A stack of row-major matrices.
struct MatrixShape {
    std::uint64_t batches = 1;
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint32_t element_bytes = 0;

    [[nodiscard]] std::uint32_t tile_rows() const { return (rows + 31) / 32; }
    [[nodiscard]] std::uint32_t tile_columns() const { return (columns + 31) / 32; }
    [[nodiscard]] std::uint64_t num_tiles() const { return batches * tile_rows() * tile_columns(); }
    [[nodiscard]] std::uint64_t tiled_bytes() const { return num_tiles() * 1024 * element_bytes; }
    [[nodiscard]] std::uint64_t row_major_bytes() const {
        return batches * rows * columns * element_bytes;
    }
};

/// Writes the tiles of each matrix in row-major order of tiles, matrix after matrix. Elements
/// beyond the logical rows and columns of each matrix are zero.
/// Source   tt-metal tilize_utils.cpp.
void tilize(const MatrixShape& shape, const std::byte* row_major, std::byte* tiles);

/// Converts back; padding is dropped.
void untilize(const MatrixShape& shape, const std::byte* tiles, std::byte* row_major);

}  // namespace tessera::tile
