// SPDX-License-Identifier: Apache-2.0
// Pushes the new row, a shard on this core, to compute. Then locates the row's block: reads the
// positions and the user's table of blocks, unless they are shards too. Finally reads the cache
// tiles that contain the row, unless the user is skipped.
#include "args.hpp"

using namespace tessera::score;

namespace {

// Reads the cache's tiles from `first` on to L1.
template <class Cache>
void read_tiles(const Cache& cache, uint32_t cb, uint32_t first, uint32_t tiles) {
    uint32_t landing = get_write_ptr(cb);
    for (uint32_t tile = first; tile < first + tiles; ++tile) {
        noc_async_read_page(tile, cache, landing);
        landing += get_tile_size(cb);
    }
    noc_async_read_barrier();
}

template <class Tensor>
void read_page(const Tensor& tensor, uint32_t page, uint32_t cb, uint32_t bytes) {
    noc_async_read(tensor.get_noc_addr(page), get_write_ptr(cb), bytes);
    noc_async_read_barrier();
}

}  // namespace

void kernel_main() {
    using Tensors = CacheReadTensors;
    const auto args = CacheReadArgs::read();
    const uint32_t tiles = args.tiles;
    constexpr uint32_t cb_cache = tt::CBIndex::c_0;
    constexpr uint32_t cb_input = tt::CBIndex::c_1;
    constexpr uint32_t cb_positions = tt::CBIndex::c_3;
    constexpr uint32_t cb_table = tt::CBIndex::c_4;
    const auto cache = TensorAccessor(Tensors::cache(), Tensors::cache_address());
    const CacheReadRow::Each row{Tensors::Addresses::kCount};
    const uint32_t first = row.first_tile();
    const bool is_left_out = row.is_left_out() != 0;

    cb_reserve_back(cb_input, tiles);
    cb_push_back(cb_input, tiles);
    cb_reserve_back(cb_positions, 1);
    if (args.position_bytes != 0) {
        const auto positions = TensorAccessor(Tensors::positions(), Tensors::positions_address());
        read_page(positions, 0, cb_positions, args.position_bytes);
    }
    cb_push_back(cb_positions, 1);
    if (!is_left_out) {
        cb_reserve_back(cb_table, args.table_pages);
        if (args.position_bytes != 0) {
            const auto table = TensorAccessor(Tensors::table(), Tensors::table_address());
            read_page(table, row.user(), cb_table, args.table_bytes);
        }
        cb_push_back(cb_table, args.table_pages);
    }
    cb_reserve_back(cb_cache, tiles);
    if (!is_left_out) {
        read_tiles(cache, cb_cache, first, tiles);
    }
    cb_push_back(cb_cache, tiles);
}
