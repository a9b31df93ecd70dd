// SPDX-License-Identifier: Apache-2.0
// Sums stacks of tiles: adds each tile and a tile of zeros to the accumulator in DST.
// Runtime args: number of stacks.

void kernel_main() {
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    constexpr uint32_t cb_zeros = tt::CBIndex::c_1;
    constexpr uint32_t cb_sums = tt::CBIndex::c_16;
    const uint32_t height = get_compile_time_arg_val(0);
    const uint32_t num_stacks = get_arg_val<uint32_t>(0);

    binary_op_init_common(cb_tiles, cb_zeros, cb_sums);
    cb_wait_front(cb_zeros, 1);
    for (uint32_t stack = 0; stack < num_stacks; ++stack) {
        add_tiles_init(cb_tiles, cb_zeros, true);
        reconfig_data_format(cb_tiles, cb_zeros);
        tile_regs_acquire();
        cb_wait_front(cb_tiles, height);
        for (uint32_t i = 0; i < height; ++i) {
            add_tiles(cb_tiles, cb_zeros, i, 0, 0);
        }
        cb_pop_front(cb_tiles, height);
        tile_regs_commit();
        cb_reserve_back(cb_sums, 1);
        pack_reconfig_data_format(cb_sums);
        tile_regs_wait();
        pack_tile(0, cb_sums);
        tile_regs_release();
        cb_push_back(cb_sums, 1);
    }
}
