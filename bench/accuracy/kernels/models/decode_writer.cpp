// SPDX-License-Identifier: Apache-2.0
// Makes the constant tiles of one token's attention: tiles of 1 for reductions, tiles of 0, and a
// mask that selects all keys. A head group has 16 rows, so half of each tile is written. The result
// stays on this core.
#include "args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t cb_mask = tt::CBIndex::c_3;
constexpr uint32_t cb_ones = tt::CBIndex::c_5;
constexpr uint32_t cb_positions = tt::CBIndex::c_8;
constexpr uint32_t cb_column = tt::CBIndex::c_11;
constexpr uint32_t cb_zero = tt::CBIndex::c_12;
constexpr uint32_t kFaceBytes = 512;
constexpr uint32_t kHalfTile = 2 * kFaceBytes;

void clear(uint32_t address) {
    const DecodeWriterArgs::Each args;
    const uint32_t zeros = args.zeros();
    const uint32_t bytes = args.zero_bytes();
    for (uint32_t offset = 0; offset < kHalfTile; offset += bytes) {
        noc_async_read(get_noc_addr(zeros), address + offset, bytes);
    }
    noc_async_read_barrier();
}

// Stores `value` to `words` words of each face, `stride` words apart.
void make_tile(uint32_t cb, uint32_t value, uint32_t words, uint32_t stride) {
    cb_reserve_back(cb, 1);
    const uint32_t address = get_write_ptr(cb);
    clear(address);
    auto* tile = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(address);
    for (uint32_t face = 0; face < 2; ++face) {
        for (uint32_t i = 0; i < words; ++i) {
            tile[face * kFaceBytes / sizeof(uint32_t) + i * stride] = value;
        }
    }
    cb_push_back(cb, 1);
}

}  // namespace

void kernel_main() {
    constexpr uint32_t kOne = 0x3F80;
    constexpr uint32_t kRowWords = 8;
    constexpr uint32_t kFaceRows = 16;
    const uint32_t key_tiles = DecodeWriterArgs::Each().key_tiles();

    cb_wait_front(cb_positions, 1);
    make_tile(cb_ones, kOne << 16 | kOne, kRowWords, 1);
    make_tile(cb_zero, 0, kRowWords, 1);
    make_tile(cb_column, kOne, kFaceRows, kRowWords);

    cb_reserve_back(cb_mask, key_tiles);
    const uint32_t first = get_write_ptr(cb_mask);
    const uint32_t tile_bytes = get_tile_size(cb_mask);
    clear(first);
    for (uint32_t tile = 1; tile + 1 < key_tiles; ++tile) {
        noc_async_read(get_noc_addr(first), first + tile * tile_bytes, kHalfTile);
    }
    noc_async_read_barrier();
    clear(first + (key_tiles - 1) * tile_bytes);
    cb_push_back(cb_mask, key_tiles);
}
