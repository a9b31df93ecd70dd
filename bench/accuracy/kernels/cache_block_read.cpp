// SPDX-License-Identifier: Apache-2.0
// Hands the new row to compute, which lies there as a shard, as do the positions and the table of
// blocks; then reads the tiles of the cache that the row belongs to, unless its user is left out.
// Runtime args: address of the cache, first tile, whether the user is left out.

void kernel_main() {
    const uint32_t tiles = get_compile_time_arg_val(0);
    const uint32_t table_pages = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
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
    cb_push_back(cb_positions, 1);
    if (!is_left_out) {
        cb_reserve_back(cb_table, table_pages);
        cb_push_back(cb_table, table_pages);
    }
    cb_reserve_back(cb_cache, tiles);
    if (!is_left_out) {
        uint32_t landing = get_write_ptr(cb_cache);
        for (uint32_t tile = first; tile < first + tiles; ++tile) {
            noc_async_read_page(tile, cache, landing);
            landing += get_tile_size(cb_cache);
        }
        noc_async_read_barrier();
    }
    cb_push_back(cb_cache, tiles);
}
