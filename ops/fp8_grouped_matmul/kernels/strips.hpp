// SPDX-License-Identifier: Apache-2.0
// Stores 32 rows of one block of columns, and makes and stores their scales where the output is
// fp8.
#pragma once

#include "../../shared/fp8_blocks/kernels/scale_rule.hpp"
#include "args.hpp"
#include "units.hpp"

namespace strips {

using tessera::ops::index_of;
using tessera::ops::ScaleRule;
using tessera::ops::fp8_grouped_matmul::Cb;
using tessera::ops::fp8_grouped_matmul::WriterArgs;

constexpr uint32_t kCbLargest = index_of(Cb::Largest);
constexpr uint32_t kCbScale = index_of(Cb::Scale);
constexpr uint32_t kCbScaleRow = index_of(Cb::ScaleRow);
constexpr uint32_t kCbOut = index_of(Cb::Output);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kStripTiles = 4;

// Consecutive rows that hold tokens, in a strip of 32 rows and one block of columns.
struct Piece {
    uint32_t place;  // of the first one in the strip
    uint32_t row;    // of the output
    uint32_t count;
};

// Hands compute the scales of the rows that hold tokens, and stores them. Other rows keep what L1
// has. `for_each_piece` calls a function for each piece of the strip.
template <class Pieces>
void make_scales(const PageAccessor& scales, uint32_t block, const Pieces& for_each_piece) {
    noc_async_writes_flushed();  // for the previous row of scales
    const uint32_t row_l1 = get_write_ptr(kCbScaleRow);
    auto* row_of_scales = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(row_l1);
    // Compute sends each row's largest elements; the scales go back before it makes codes.
    cb_wait_front(kCbLargest, 1);
    cb_reserve_back(kCbScale, 1);
    const auto* largest = reinterpret_cast<tt_l1_ptr uint32_t*>(get_read_ptr(kCbLargest));
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(kCbScale));
    for_each_piece([&](const Piece& piece) {
        for (uint32_t row = piece.place; row < piece.place + piece.count; ++row) {
            scale_rule::FloatWord scale;
            scale.value =
                scale_rule::scale_of(scale_rule::largest_of_row(largest, row), ScaleRule::Trtllm);
            tile[scale_rule::word_of_row(row)] = scale.bits;
            row_of_scales[row] = scale.bits;
        }
    });
    cb_push_back(kCbScale, 1);
    cb_pop_front(kCbLargest, 1);
    for_each_piece([&](const Piece& piece) {
        noc_async_write(row_l1 + piece.place * sizeof(uint32_t),
                        scales.get_noc_addr(block, piece.row * sizeof(uint32_t)),
                        piece.count * sizeof(uint32_t));
    });
}

template <class Pieces>
void store_rows(const PageAccessor& out, uint32_t block, const Pieces& for_each_piece,
                uint32_t row_bytes) {
    cb_wait_front(kCbOut, kStripTiles);
    const uint32_t strip_l1 = get_read_ptr(kCbOut);
    for_each_piece([&](const Piece& piece) {
        uint32_t l1_addr = strip_l1 + piece.place * row_bytes;
        for (uint32_t row = piece.row; row < piece.row + piece.count; ++row) {
            noc_async_write(l1_addr, out.get_noc_addr(row, block * row_bytes), row_bytes);
            l1_addr += row_bytes;
        }
    });
    // The strip's data has left L1; one barrier at the end waits for arrival.
    noc_async_writes_flushed();
    cb_pop_front(kCbOut, kStripTiles);
}

// Stores a strip that compute pushes.
template <class Pieces>
void store_strip(const PageAccessor& out, const PageAccessor& scales, uint32_t block,
                 const Pieces& for_each_piece, bool quantises, uint32_t element_bytes) {
    if (quantises) {
        make_scales(scales, block, for_each_piece);
    }
    store_rows(out, block, for_each_piece, units::kBlock * element_bytes);
}

// Stores the strips of a unit with the rows from `row` to `end`, which all hold tokens. Strips
// without tokens take part in the hand-over, but store nothing.
inline void store_unit(const PageAccessor& out, const PageAccessor& scales, uint32_t block,
                       uint32_t row, uint32_t end, const WriterArgs& args) {
    for (uint32_t i = 0; i < args.row_tiles; ++i) {
        const Piece piece{0, row, end > row ? smaller(end - row, kTileRows) : 0};
        const auto one_piece = [&](const auto& visit) {
            if (piece.count != 0) {
                visit(piece);
            }
        };
        store_strip(out, scales, block, one_piece, args.quantises != 0, args.element_bytes);
        row += kTileRows;
    }
}

}  // namespace strips
