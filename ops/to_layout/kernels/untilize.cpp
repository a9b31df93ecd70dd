// SPDX-License-Identifier: Apache-2.0
void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    const uint32_t block_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    constexpr uint32_t cb_rows = tt::CBIndex::c_16;

    untilize_init(cb_tiles, cb_rows);
    for (uint32_t block = 0; block < num_blocks; ++block) {
        cb_wait_front(cb_tiles, block_tiles);
        cb_reserve_back(cb_rows, block_tiles);
        untilize_block(cb_tiles, block_tiles, cb_rows);
        cb_push_back(cb_rows, block_tiles);
        cb_pop_front(cb_tiles, block_tiles);
    }
}
