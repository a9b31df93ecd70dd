// SPDX-License-Identifier: Apache-2.0
// Adds up the blocks of each chunk by pairs, all tiles of a chunk in DST.
#include "direct_share.hpp"

namespace {

void add_blocks(const DirectShare& share, uint32_t tiles) {
    uint32_t block = 0;
    // Blocks are added in pairs, so an odd block is copied first: DST then holds the start of the
    // sum.
    if (share.num_devices % 2 != 0) {
        copy_tile_to_dst_init_short(kCbArrived);
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            copy_tile(kCbArrived, tile, tile);
        }
        block = 1;
    }
    // `true`: additions accumulate in DST, so each pair joins the sum in one call.
    add_tiles_init(kCbArrived, kCbArrived, true);
    for (; block + 1 < share.num_devices; block += 2) {
        const uint32_t first = block * share.chunk;
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            add_tiles(kCbArrived, kCbArrived, first + tile, first + share.chunk + tile, tile);
        }
    }
}

}  // namespace

void kernel_main() {
    const DirectShare share = direct_share_from_args(0);

    binary_op_init_common(kCbArrived, kCbArrived, kCbSum);
    for (uint32_t i = 0; i < share.num_chunks(); ++i) {
        cb_wait_front(kCbArrived, share.group());
        // All tiles of the chunk are in DST at once; the other half is packed meanwhile.
        tile_regs_acquire();
        add_blocks(share, share.tiles_in(i));
        tile_regs_commit();
        // Popped before the packs: the sums are in DST.
        cb_pop_front(kCbArrived, share.group());
        cb_reserve_back(kCbSum, share.chunk);
        tile_regs_wait();
        for (uint32_t tile = 0; tile < share.tiles_in(i); ++tile) {
            pack_tile(tile, kCbSum, tile);
        }
        tile_regs_release();
        cb_push_back(kCbSum, share.chunk);
    }
}
