// SPDX-License-Identifier: Apache-2.0
// Pushes the new row, a shard on this core, to compute. Then locates the row's block: reads the
// positions and the user's table of blocks, unless they are shards too. Finally reads the cache
// tiles that contain the row, unless the user is skipped.
// Runtime args: address of the cache, first tile, whether the user is skipped, address of the
// positions, of the table of blocks, user.

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
    const uint32_t tiles = get_compile_time_arg_val(0);
    const uint32_t table_pages = get_compile_time_arg_val(1);
    const uint32_t position_bytes = get_compile_time_arg_val(2);  // 0: shards
    const uint32_t table_bytes = get_compile_time_arg_val(3);
    constexpr auto args = TensorAccessorArgs<4>();
    constexpr auto position_args = TensorAccessorArgs<args.next_compile_time_args_offset()>();
    constexpr auto table_args = TensorAccessorArgs<position_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb_cache = tt::CBIndex::c_0;
    constexpr uint32_t cb_input = tt::CBIndex::c_1;
    constexpr uint32_t cb_positions = tt::CBIndex::c_3;
    constexpr uint32_t cb_table = tt::CBIndex::c_4;
    const auto cache = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t first = get_arg_val<uint32_t>(1);
    const bool is_left_out = get_arg_val<uint32_t>(2) != 0;

    cb_reserve_back(cb_input, tiles);
    cb_push_back(cb_input, tiles);
    cb_reserve_back(cb_positions, 1);
    if (position_bytes != 0) {
        const auto positions = TensorAccessor(position_args, get_arg_val<uint32_t>(3));
        read_page(positions, 0, cb_positions, position_bytes);
    }
    cb_push_back(cb_positions, 1);
    if (!is_left_out) {
        cb_reserve_back(cb_table, table_pages);
        if (position_bytes != 0) {
            const auto table = TensorAccessor(table_args, get_arg_val<uint32_t>(4));
            read_page(table, get_arg_val<uint32_t>(5), cb_table, table_bytes);
        }
        cb_push_back(cb_table, table_pages);
    }
    cb_reserve_back(cb_cache, tiles);
    if (!is_left_out) {
        read_tiles(cache, cb_cache, first, tiles);
    }
    cb_push_back(cb_cache, tiles);
}
