// SPDX-License-Identifier: Apache-2.0
// Copies the new row into the untilized cache block in L1. Writes the block back when compute has
// tilized it, unless the row's user is skipped.
#include "args.hpp"

using namespace tessera::score;

namespace {

// Writes the tiles in L1 to the cache, from tile `first` on.
template <class Cache>
void write_tiles(const Cache& cache, uint32_t cb, uint32_t first, uint32_t tiles) {
    uint32_t source = get_read_ptr(cb);
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        noc_async_write_page(tile, cache, source);
        source += get_tile_size(cb);
    }
    noc_async_writes_flushed();
}

// Copies the new row to its place in the block, both in this core's L1.
void copy_row(uint32_t source, uint32_t destination, uint32_t bytes) {
    noc_async_read(get_noc_addr(source), destination, bytes);
    noc_async_read_barrier();
}

}  // namespace

void kernel_main() {
    const auto args = CacheWriteArgs::read();
    const uint32_t tiles = args.tiles;
    const uint32_t table_pages = args.table_pages;
    constexpr uint32_t cb_positions = tt::CBIndex::c_3;
    constexpr uint32_t cb_table = tt::CBIndex::c_4;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    constexpr uint32_t cb_rows = tt::CBIndex::c_24;
    constexpr uint32_t cb_updated = tt::CBIndex::c_25;  // the same L1
    constexpr uint32_t cb_new_row = tt::CBIndex::c_26;
    const auto cache =
        TensorAccessor(CacheWriteTensors::cache(), CacheWriteTensors::cache_address());
    const auto row = CacheWriteRow::read(CacheWriteTensors::Addresses::kCount);
    const bool is_left_out = row.is_left_out != 0;

    cb_wait_front(cb_positions, 1);
    if (!is_left_out) {
        cb_wait_front(cb_table, table_pages);
        cb_pop_front(cb_table, table_pages);
    }
    cb_pop_front(cb_positions, 1);

    cb_wait_front(cb_new_row, tiles);
    cb_wait_front(cb_rows, tiles);
    cb_reserve_back(cb_updated, tiles);
    copy_row(get_read_ptr(cb_new_row), get_read_ptr(cb_rows) + row.offset, args.row_bytes);
    cb_push_back(cb_updated, tiles);
    cb_pop_front(cb_rows, tiles);

    cb_wait_front(cb_out, tiles);
    if (!is_left_out) {
        write_tiles(cache, cb_out, row.first_tile, tiles);
    }
    cb_pop_front(cb_out, tiles);
    if (!is_left_out) {
        noc_async_write_barrier();
    }
    cb_pop_front(cb_new_row, tiles);
}
