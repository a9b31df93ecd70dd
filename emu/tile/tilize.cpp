// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/tilize.hpp"

#include <algorithm>
#include <cstring>

#include "tessera/data_format.hpp"

namespace tessera::tile {
namespace {

/// Where one tile lies in a row-major matrix and how much of it the matrix covers.
struct TileRegion {
    std::size_t first_byte;
    std::uint32_t rows;
    std::uint32_t columns;
};

/// Calls `move(byte in the matrix, byte in the tile, bytes)` for each run inside one face row.
template <class Move>
void for_each_run(const TileRegion& region, std::size_t row_stride, std::uint32_t element_bytes,
                  Move move) {
    for (std::uint32_t row = 0; row < region.rows; ++row) {
        for (std::uint32_t column = 0; column < region.columns; column += kFaceColumns) {
            const std::uint32_t count = std::min(kFaceColumns, region.columns - column);
            move(region.first_byte + row * row_stride + std::size_t{column} * element_bytes,
                 std::size_t{tile_offset(row, column)} * element_bytes,
                 std::size_t{count} * element_bytes);
        }
    }
}

/// memcpy with the sizes of whole face rows known to the compiler: twice as fast as calls.
inline void copy_run(std::byte* to, const std::byte* from, std::size_t bytes) {
    switch (bytes) {
        case 16:
            std::memcpy(to, from, 16);
            break;
        case 32:
            std::memcpy(to, from, 32);
            break;
        case 64:
            std::memcpy(to, from, 64);
            break;
        default:
            std::memcpy(to, from, bytes);
    }
}

/// Calls `visit(region, index of the tile)` for every tile of every matrix.
template <class Visit>
void for_each_tile(const MatrixShape& shape, Visit visit) {
    const std::size_t row_bytes = std::size_t{shape.columns} * shape.element_bytes;
    std::size_t index = 0;
    for (std::uint64_t batch = 0; batch < shape.batches; ++batch) {
        for (std::uint32_t row = 0; row < shape.rows; row += kTileRows) {
            for (std::uint32_t column = 0; column < shape.columns; column += kTileColumns) {
                const TileRegion region{(batch * shape.rows + row) * row_bytes +
                                            std::size_t{column} * shape.element_bytes,
                                        std::min(kTileRows, shape.rows - row),
                                        std::min(kTileColumns, shape.columns - column)};
                visit(region, index++);
            }
        }
    }
}

constexpr TileRegion kWholeTile{0, kTileRows, kTileColumns};

}  // namespace

void tilize_tile(const std::byte* rows, std::size_t row_stride, std::uint32_t element_bytes,
                 std::byte* tile) {
    for_each_run(kWholeTile, row_stride, element_bytes,
                 [&](std::size_t from, std::size_t to, std::size_t bytes) {
                     copy_run(tile + to, rows + from, bytes);
                 });
}

void untilize_tile(const std::byte* tile, std::uint32_t element_bytes, std::byte* rows,
                   std::size_t row_stride) {
    for_each_run(kWholeTile, row_stride, element_bytes,
                 [&](std::size_t to, std::size_t from, std::size_t bytes) {
                     copy_run(rows + to, tile + from, bytes);
                 });
}

void tilize(const MatrixShape& shape, const std::byte* row_major, std::byte* tiles) {
    const std::size_t row_bytes = std::size_t{shape.columns} * shape.element_bytes;
    const std::size_t tile_size = std::size_t{kTileElements} * shape.element_bytes;
    for_each_tile(shape, [&](const TileRegion& region, std::size_t index) {
        std::byte* tile = tiles + index * tile_size;
        if (region.rows != kTileRows || region.columns != kTileColumns) {
            std::memset(tile, 0, tile_size);
        }
        for_each_run(region, row_bytes, shape.element_bytes,
                     [&](std::size_t from, std::size_t to, std::size_t bytes) {
                         copy_run(tile + to, row_major + from, bytes);
                     });
    });
}

void untilize(const MatrixShape& shape, const std::byte* tiles, std::byte* row_major) {
    const std::size_t row_bytes = std::size_t{shape.columns} * shape.element_bytes;
    const std::size_t tile_size = std::size_t{kTileElements} * shape.element_bytes;
    for_each_tile(shape, [&](const TileRegion& region, std::size_t index) {
        const std::byte* tile = tiles + index * tile_size;
        for_each_run(region, row_bytes, shape.element_bytes,
                     [&](std::size_t to, std::size_t from, std::size_t bytes) {
                         copy_run(row_major + to, tile + from, bytes);
                     });
    });
}

}  // namespace tessera::tile
