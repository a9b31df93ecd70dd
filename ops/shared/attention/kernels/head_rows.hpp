// SPDX-License-Identifier: Apache-2.0
// Keys and values of one head in caches whose positions have several heads each; masks of a block;
// sinks.
#pragma once

#include "../../kernels/cache_rows.hpp"
#include "blocks.hpp"

namespace attention {

constexpr uint32_t kCbSinks = index_of(Cb::Sinks);
constexpr uint32_t kSinkWords = 3 * 64;  // bytes in front of the sinks, which lists take

// Rows of the tensors are heads, positions, or pages of positions.
struct HeadCaches {
    CacheRows<PageAccessor> keys;
    CacheRows<PageAccessor> values;
    uint32_t kv_heads;
    uint32_t key_tiles;  // tiles of a row
    uint32_t value_tiles;
};

constexpr uint32_t kTileRowBytes = kTileRows * sizeof(uint16_t);  // row of one bf16 tile

// Pushes rows first, first + step, … of queries, each padded to whole tiles.
template <class Accessor>
void push_query_rows(const Accessor& query, const HeadCaches& caches, uint32_t first, uint32_t step,
                     uint32_t count) {
    cb_reserve_back(kCbQueryRows, caches.key_tiles);
    uint32_t l1_addr = get_write_ptr(kCbQueryRows);
    for (uint32_t row = 0; row < count; ++row) {
        noc_async_read(query.get_noc_addr(first + row * step), l1_addr, caches.keys.row_bytes);
        l1_addr += caches.key_tiles * kTileRowBytes;
    }
    noc_async_read_barrier();
    cb_push_back(kCbQueryRows, caches.key_tiles);
}

// Clears the buffers of rows. Rows that no read fills are multiplied, too: a weight of 0 does not
// hide a NaN.
inline void clear_head_rows(const HeadCaches& caches) {
    clear(kCbQueryRows, caches.key_tiles);
    clear(kCbKeyRows, 2 * caches.key_tiles);
    clear(kCbValueRows, 2 * caches.value_tiles);
}

// Reads rows of one head at places [first, end), `pitch` bytes apart in L1. `positions.row(place)`
// is the cache row of a place. With one head, rows that are contiguous in both memories are read
// together.
template <class Positions>
void read_head_rows(const CacheRows<PageAccessor>& cache, const Positions& positions,
                    uint32_t kv_heads, uint32_t head, uint32_t first, uint32_t end,
                    uint32_t l1_addr, uint32_t pitch) {
    const bool may_join = kv_heads == 1 && positions.are_consecutive() && cache.row_bytes == pitch;
    for (uint32_t place = first; place < end;) {
        const uint32_t row = positions.row(place) * kv_heads + head;
        const uint32_t count = may_join ? cache.together(row, end - place) : 1;
        noc_async_read(cache.address(row), l1_addr, count * cache.row_bytes);
        l1_addr += count * pitch;
        place += count;
    }
}

// Reads 32 keys and their values, or those up to `end`.
template <class Positions>
void push_head_tile(const HeadCaches& caches, const Positions& positions, uint32_t head,
                    uint32_t first, uint32_t end) {
    const uint32_t last = smaller(first + kTileRows, end);
    cb_reserve_back(kCbKeyRows, caches.key_tiles);
    cb_reserve_back(kCbValueRows, caches.value_tiles);
    read_head_rows(caches.keys, positions, caches.kv_heads, head, first, last,
                   get_write_ptr(kCbKeyRows), caches.key_tiles * kTileRowBytes);
    read_head_rows(caches.values, positions, caches.kv_heads, head, first, last,
                   get_write_ptr(kCbValueRows), caches.value_tiles * kTileRowBytes);
    noc_async_read_barrier();
    cb_push_back(kCbKeyRows, caches.key_tiles);
    cb_push_back(kCbValueRows, caches.value_tiles);
}

// Row r of queries attends to columns [first + r · step, end + r · step) of a key tile.
struct SeenColumns {
    int32_t first;
    int32_t end;
    int32_t step;

    bool are_all() const {
        constexpr int32_t kLast = kTileRows - 1;
        return end >= static_cast<int32_t>(kTileRows) && first + kLast * step <= 0;
    }
};

// Mask tile `place` of the block.
inline void write_mask(uint32_t place, const SeenColumns& seen) {
    constexpr int32_t kColumns = kTileRows;
    const uint32_t l1_addr = get_write_ptr(kCbMasks) + place * kTileBytes;
    fill_l1(l1_addr, kTileBytes, 0);
    for (uint32_t row = 0; row < kTileRows; ++row) {
        const int32_t moved = static_cast<int32_t>(row) * seen.step;
        for (int32_t column = 0; column < seen.first + moved && column < kColumns; ++column) {
            tile_element(l1_addr, row, static_cast<uint32_t>(column)) = kMasked;
        }
        const int32_t end = seen.end + moved;
        for (int32_t column = end < 0 ? 0 : end; column < kColumns; ++column) {
            tile_element(l1_addr, row, static_cast<uint32_t>(column)) = kMasked;
        }
    }
}

// Announces a block of key tiles and returns bits of the tiles that have a mask. `seen(tile)`
// returns the visible columns of a tile of the block.
template <class Seen>
uint32_t announce_head_block(uint32_t num_tiles, const Seen& seen) {
    uint32_t masked = 0;
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        masked |= (seen(tile).are_all() ? 0U : 1U) << tile;
    }
    announce_block(num_tiles, masked);
    return masked;
}

// Pushes the masks of a block. They follow its keys, so that the keys need not wait for the
// previous block.
template <class Seen>
void push_head_masks(uint32_t num_tiles, uint32_t masked, uint32_t block, const Seen& seen) {
    if (masked == 0) {
        return;
    }
    cb_reserve_back(kCbMasks, block);
    for (uint32_t tile = 0, place = 0; tile < num_tiles; ++tile) {
        if ((masked >> tile & 1) != 0) {
            write_mask(place, seen(tile));
            place += 1;
        }
    }
    cb_push_back(kCbMasks, block);
}

// Reads the sinks of all heads to L1, row by row.
template <class Accessor>
void read_sinks(const Accessor& sinks, uint32_t heads) {
    noc_async_read(sinks.get_noc_addr(0), get_write_ptr(kCbWords) + kSinkWords,
                   heads * sizeof(uint16_t));
    noc_async_read_barrier();
}

// Pushes a tile whose column 0 has the sinks of heads first + r · step for rows r.
inline void push_sinks(uint32_t first, uint32_t step, uint32_t count) {
    const auto* sinks = reinterpret_cast<Halves>(get_write_ptr(kCbWords) + kSinkWords);
    cb_reserve_back(kCbSinks, 1);
    for (uint32_t row = 0; row < count; ++row) {
        tile_element(get_write_ptr(kCbSinks), row, 0) = sinks[first + row * step];
    }
    cb_push_back(kCbSinks, 1);
}

}  // namespace attention
