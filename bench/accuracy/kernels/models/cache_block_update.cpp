// SPDX-License-Identifier: Apache-2.0
// Untilizes the new row and the cache's tiles, and tilizes the block again once it contains the
// row.

namespace {

constexpr uint32_t kTiles = 4;  // tiles of a head of 128

void make_rows(uint32_t cb_in, uint32_t cb_out) {
    cb_wait_front(cb_in, kTiles);
    cb_reserve_back(cb_out, kTiles);
    pack_untilize_block<kTiles>(cb_in, 1, cb_out);
    cb_push_back(cb_out, kTiles);
    cb_pop_front(cb_in, kTiles);
}

}  // namespace

void kernel_main() {
    constexpr uint32_t cb_cache = tt::CBIndex::c_0;
    constexpr uint32_t cb_input = tt::CBIndex::c_1;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    constexpr uint32_t cb_rows = tt::CBIndex::c_24;
    constexpr uint32_t cb_updated = tt::CBIndex::c_25;
    constexpr uint32_t cb_new_row = tt::CBIndex::c_26;

    compute_kernel_hw_startup(cb_input, cb_new_row);
    pack_untilize_init<kTiles>(cb_input, cb_new_row);
    make_rows(cb_input, cb_new_row);

    reconfig_data_format_srca(cb_input, cb_cache);
    pack_reconfig_data_format(cb_new_row, cb_rows);
    pack_untilize_init<kTiles>(cb_cache, cb_rows);
    make_rows(cb_cache, cb_rows);
    pack_untilize_uninit(cb_rows);

    reconfig_data_format_srca(cb_cache, cb_updated);
    pack_reconfig_data_format(cb_rows, cb_out);
    tilize_init_short_with_dt(cb_cache, cb_updated, kTiles, cb_out);
    cb_wait_front(cb_updated, kTiles);
    cb_reserve_back(cb_out, kTiles);
    tilize_block(cb_updated, kTiles, cb_out);
    cb_push_back(cb_out, kTiles);
    cb_pop_front(cb_updated, kTiles);
    tilize_uninit_with_dt(cb_updated, cb_cache, cb_out);
}
