// SPDX-License-Identifier: Apache-2.0
// Multiplies this core's share of K into one DST tile. A gathering core adds the sums of the other
// parts, in their order; each other core packs its sum to send it.

void kernel_main() {
    constexpr uint32_t cb_a = tt::CBIndex::c_0;
    constexpr uint32_t cb_b = tt::CBIndex::c_1;
    constexpr uint32_t cb_arrived = tt::CBIndex::c_2;
    constexpr uint32_t block = get_compile_time_arg_val(0);
    constexpr uint32_t cb_out = get_compile_time_arg_val(1);
    const uint32_t num_k = get_arg_val<uint32_t>(0);
    const uint32_t num_arriving = get_arg_val<uint32_t>(1);

    mm_init(cb_a, cb_b, cb_out);
    tile_regs_acquire();
    for (uint32_t k = 0; k < num_k; k += block) {
        cb_wait_front(cb_a, block);
        cb_wait_front(cb_b, block);
        for (uint32_t i = 0; i < block; ++i) {
            matmul_tiles(cb_a, cb_b, i, i, 0);
        }
        cb_pop_front(cb_a, block);
        cb_pop_front(cb_b, block);
    }
    if (num_arriving > 0) {
        reconfig_data_format_srca(cb_b, cb_arrived);
        cb_wait_front(cb_arrived, num_arriving);
        for (uint32_t part = 0; part < num_arriving; ++part) {
            copy_tile_init(cb_arrived);
            copy_tile(cb_arrived, part, 1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
        }
        cb_pop_front(cb_arrived, num_arriving);
    }
    tile_regs_commit();

    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
}
