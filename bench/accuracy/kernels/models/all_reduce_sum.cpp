// SPDX-License-Identifier: Apache-2.0
// Adds an even number of consecutive blocks in pairs, up to eight tiles in DST. Runtime args:
// number of blocks, tiles per block.

void kernel_main() {
    constexpr uint32_t cb_in = tt::CBIndex::c_1;
    constexpr uint32_t cb_out = tt::CBIndex::c_2;
    constexpr uint32_t kMostTiles = 8;
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    const uint32_t tiles = get_arg_val<uint32_t>(1);

    cb_wait_front(cb_in, num_blocks * tiles);
    cb_reserve_back(cb_out, tiles);
    binary_op_init_common(cb_in, cb_in, cb_out);
    add_tiles_init(cb_in, cb_in, true);
    for (uint32_t first = 0; first < tiles; first += kMostTiles) {
        const uint32_t count = tiles - first < kMostTiles ? tiles - first : kMostTiles;
        tile_regs_acquire();
        for (uint32_t block = 0; block < num_blocks; block += 2) {
            const uint32_t one = block * tiles + first;
            for (uint32_t tile = 0; tile < count; ++tile) {
                add_tiles(cb_in, cb_in, one + tile, one + tiles + tile, tile);
            }
        }
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t tile = 0; tile < count; ++tile) {
            pack_tile(tile, cb_out, first + tile);
        }
        tile_regs_release();
    }
    cb_push_back(cb_out, tiles);
}
