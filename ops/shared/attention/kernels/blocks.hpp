// SPDX-License-Identifier: Apache-2.0
// Announcements of the readers of attention to compute and writer, and the addresses of rows in L1.
//
// A unit of work is up to 32 rows of queries with the same keys. Its keys are processed in blocks
// of key tiles; a mask tile covers the rows of a tile that the queries do not attend to.
#pragma once

#include "../../kernels/aligned_read.hpp"
#include "../../kernels/arithmetic.hpp"
#include "../../kernels/fill_l1.hpp"
#include "../../kernels/word_list.hpp"
#include "args.hpp"

namespace attention {

using namespace tessera::ops::attention;
using tessera::ops::index_of;

constexpr uint32_t kCbQueryRows = index_of(Cb::QueryRows);
constexpr uint32_t kCbKeyRows = index_of(Cb::KeyRows);
constexpr uint32_t kCbValueRows = index_of(Cb::ValueRows);
constexpr uint32_t kCbUnits = index_of(Cb::Units);
constexpr uint32_t kCbMasks = index_of(Cb::Masks);
constexpr uint32_t kCbOnes = index_of(Cb::Ones);
constexpr uint32_t kCbPartial = index_of(Cb::Partial);
constexpr uint32_t kCbWriterUnits = index_of(Cb::WriterUnits);
constexpr uint32_t kCbDetour = index_of(Cb::Detour);
constexpr uint32_t kCbWords = index_of(Cb::ListWords);
constexpr uint32_t kTileRows = 32;
constexpr uint32_t kTileBytes = 2048;  // tile of bfloat16
// −3e30 is finite, so no difference of two such numbers is NaN. It is below the initial running
// maximum, so a row without keys has weights of 0.
constexpr uint16_t kMasked = 0xF217;
constexpr uint16_t kOne = 0x3F80;

using Words = volatile tt_l1_ptr uint32_t*;
using Halves = volatile tt_l1_ptr uint16_t*;

inline void push_ones() {
    cb_reserve_back(kCbOnes, 1);
    fill_l1(get_write_ptr(kCbOnes), kTileBytes, uint32_t{kOne} << 16 | kOne);
    cb_push_back(kCbOnes, 1);
}

// Clears pages. Rows are read over a part of their places only: values after them are
// multiplied, too.
inline void clear(uint32_t cb, uint32_t pages) {
    fill_l1(get_write_ptr(cb), pages * kTileBytes, 0);
}

// The element of a tile of bfloat16 in L1.
inline volatile tt_l1_ptr uint16_t& tile_element(uint32_t l1_addr, uint32_t row, uint32_t column) {
    return reinterpret_cast<Halves>(
        l1_addr)[(row / 16 * 2 + column / 16) * 256 + row % 16 * 16 + column % 16];
}

// The element of a mask tile.
inline volatile tt_l1_ptr uint16_t& mask_element(uint32_t row, uint32_t column) {
    return tile_element(get_write_ptr(kCbMasks), row, column);
}

// Hides column c of row r of a key tile where c ≥ first_seen + r · seen_more.
inline void push_mask(int32_t first_seen, int32_t seen_more) {
    cb_reserve_back(kCbMasks, 1);
    fill_l1(get_write_ptr(kCbMasks), kTileBytes, 0);
    for (uint32_t row = 0; row < kTileRows; ++row) {
        const int32_t seen = first_seen + static_cast<int32_t>(row) * seen_more;
        for (uint32_t column = seen < 0 ? 0 : seen; column < kTileRows; ++column) {
            mask_element(row, column) = kMasked;
        }
    }
    cb_push_back(kCbMasks, 1);
}

inline void announce_unit(uint32_t what, uint32_t num_blocks, uint32_t num_partners) {
    cb_reserve_back(kCbUnits, 1);
    auto* words = reinterpret_cast<Words>(get_write_ptr(kCbUnits));
    words[0] = what;
    words[1] = num_blocks;
    words[2] = num_partners;
    cb_push_back(kCbUnits, 1);
}

// Announces a block. Bit k of `masked` states whether key tile k has a mask.
inline void announce_block(uint32_t num_tiles, uint32_t masked) {
    cb_reserve_back(kCbUnits, 1);
    auto* words = reinterpret_cast<Words>(get_write_ptr(kCbUnits));
    words[0] = num_tiles;
    words[1] = masked;
    cb_push_back(kCbUnits, 1);
}

// Announces the rows of the result: `count` pages, each `stride` after the one before.
inline void announce_rows(uint32_t what, uint32_t first, uint32_t stride, uint32_t count) {
    cb_reserve_back(kCbWriterUnits, 1);
    auto* words = reinterpret_cast<Words>(get_write_ptr(kCbWriterUnits));
    words[0] = what;
    words[1] = first;
    words[2] = stride;
    words[3] = count;
    cb_push_back(kCbWriterUnits, 1);
}

// Ends compute and writer. The barrier is that of the requests to partners.
inline void end_units() {
    announce_unit(kEnd, 0, 0);
    announce_rows(kEnd, 0, 0, 0);
    noc_async_atomic_barrier();
}

}  // namespace attention
