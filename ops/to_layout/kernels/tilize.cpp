// SPDX-License-Identifier: Apache-2.0
void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    const uint32_t block_tiles = get_compile_time_arg_val(0);
    constexpr uint32_t cb_rows = tt::CBIndex::c_0;
    constexpr uint32_t cb_tiles = tt::CBIndex::c_16;

    tilize_init(cb_rows, block_tiles, cb_tiles);
    for (uint32_t block = 0; block < num_blocks; ++block) {
        cb_wait_front(cb_rows, block_tiles);
        cb_reserve_back(cb_tiles, block_tiles);
        tilize_block(cb_rows, block_tiles, cb_tiles);
        cb_push_back(cb_tiles, block_tiles);
        cb_pop_front(cb_rows, block_tiles);
    }
}
