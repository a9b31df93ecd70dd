// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/tiny_tile.hpp"

#include <array>
#include <cstring>
#include <memory>

#include "emu/tile/tilize.hpp"

namespace tessera::tile {
namespace {

constexpr std::size_t kLargestTile = 4096;  // bytes, of 32-bit elements
/// Tiles of the longest row and column of a block product, at most 16 tiles each.
constexpr std::size_t kKept = 32;

/// Calls `move(position in the tiny tile, position in the 32×32 tile)` for each face, in face rows.
template <class Move>
void for_each_face(Tile tile, Move move) {
    const std::uint32_t across = tile.get_width() / kFaceColumns;
    const std::uint32_t rows = tile.get_face_shape()[0];
    for (std::uint32_t face = 0; face < tile.get_num_faces(); ++face) {
        const std::uint32_t whole = face / across * 2 + face % across;
        move(std::size_t{face} * rows, std::size_t{whole} * kFaceRows);
    }
}

/// Offsets of a tile's elements in a format, and the length of a face row.
struct Elements {
    std::size_t row_bytes;
    std::size_t begin;        ///< in the tiny tile
    std::size_t whole_begin;  ///< in the 32×32 one

    Elements(DataFormat format, Tile tile)
        : row_bytes((tile_bytes(format) - Tile().exponent_bytes(format)) * kFaceColumns /
                    kTileElements),
          begin(tile.exponent_bytes(format)),
          whole_begin(Tile().exponent_bytes(format)) {}
};

/// Calls `move(byte in the tiny tile, byte in the 32×32 one, bytes)` for all parts of a tiny tile.
template <class Move>
void for_each_run(DataFormat format, Tile tile, Move move) {
    const Elements elements(format, tile);
    const std::size_t rows = tile.get_face_shape()[0];
    for_each_face(tile, [&](std::size_t place, std::size_t whole) {
        if (is_block_format(format)) {
            move(place, whole, rows);  // one exponent byte per face row
        }
        move(elements.begin + place * elements.row_bytes,
             elements.whole_begin + whole * elements.row_bytes, rows * elements.row_bytes);
    });
}

/// Calls `move(byte in the rows, byte in the 32×32 tile, bytes)` for each row of each face.
template <class Move>
void for_each_face_row(Tile tile, std::size_t row_stride, std::uint32_t element_bytes, Move move) {
    for (std::uint32_t row = 0; row < tile.get_height(); ++row) {
        for (std::uint32_t column = 0; column < tile.get_width(); column += kFaceColumns) {
            move(row * row_stride + std::size_t{column} * element_bytes,
                 std::size_t{tile_offset(row, column)} * element_bytes,
                 std::size_t{kFaceColumns} * element_bytes);
        }
    }
}

}  // namespace

const std::byte* widen(DataFormat format, Tile tile, const std::byte* bytes) {
    using Whole = std::array<std::byte, kLargestTile>;
    // Per host thread; never used across a fiber switch.
    static thread_local std::unique_ptr<std::array<Whole, kKept>> kept;
    static thread_local std::size_t next = 0;
    if (kept == nullptr) {
        kept = std::make_unique<std::array<Whole, kKept>>();
    }
    std::byte* whole = (*kept)[next++ % kKept].data();
    std::memset(whole, 0, tile_bytes(format));
    for_each_run(format, tile, [&](std::size_t from, std::size_t to, std::size_t size) {
        std::memcpy(whole + to, bytes + from, size);
    });
    return whole;
}

void narrow(DataFormat format, Tile tile, const std::byte* whole, std::byte* out) {
    for_each_run(format, tile, [&](std::size_t to, std::size_t from, std::size_t size) {
        std::memcpy(out + to, whole + from, size);
    });
}

void tilize_rows(Tile tile, const std::byte* rows, std::size_t row_stride,
                 std::uint32_t element_bytes, std::byte* whole) {
    if (!tile.is_tiny()) [[likely]] {
        return tilize_tile(rows, row_stride, element_bytes, whole);
    }
    std::memset(whole, 0, std::size_t{kTileElements} * element_bytes);
    for_each_face_row(tile, row_stride, element_bytes,
                      [&](std::size_t from, std::size_t to, std::size_t size) {
                          std::memcpy(whole + to, rows + from, size);
                      });
}

void untilize_rows(Tile tile, const std::byte* whole, std::uint32_t element_bytes, std::byte* rows,
                   std::size_t row_stride) {
    if (!tile.is_tiny()) [[likely]] {
        return untilize_tile(whole, element_bytes, rows, row_stride);
    }
    for_each_face_row(tile, row_stride, element_bytes,
                      [&](std::size_t to, std::size_t from, std::size_t size) {
                          std::memcpy(rows + to, whole + from, size);
                      });
}

void fill_outside(Tile tile, float value, float* values) {
    for (std::uint32_t row = 0; row < kTileRows; ++row) {
        for (std::uint32_t column = 0; column < kTileColumns; ++column) {
            if (row >= tile.get_height() || column >= tile.get_width()) {
                values[tile_offset(row, column)] = value;
            }
        }
    }
}

}  // namespace tessera::tile
