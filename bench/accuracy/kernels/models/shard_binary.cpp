// SPDX-License-Identifier: Apache-2.0
// Adds or multiplies tile by tile, in blocks that fill DST. Optionally applies silu to in0 first,
// in a separate pass through another CB.
#include "args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
constexpr uint32_t cb_in1 = tt::CBIndex::c_1;
constexpr uint32_t cb_out = tt::CBIndex::c_2;
constexpr uint32_t cb_activated = tt::CBIndex::c_3;

void pack_block(uint32_t cb, uint32_t tiles) {
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        pack_tile(tile, cb);
    }
    tile_regs_release();
}

void activate_block(uint32_t tiles) {
    copy_tile_to_dst_init_short(cb_in0);
    reconfig_data_format_srca(cb_activated, cb_in0);
    pack_reconfig_data_format(cb_out, cb_activated);
    cb_wait_front(cb_in0, tiles);
    cb_reserve_back(cb_activated, tiles);
    tile_regs_acquire();
    silu_tile_init();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        copy_tile(cb_in0, tile, tile);
        silu_tile(tile);
    }
    pack_block(cb_activated, tiles);
    cb_pop_front(cb_in0, tiles);
    cb_push_back(cb_activated, tiles);
    reconfig_data_format_srca(cb_in0, cb_activated);
    pack_reconfig_data_format(cb_activated, cb_out);
}

void arm(bool multiply, uint32_t cb) {
    if (multiply) {
        mul_tiles_init(cb, cb_in1);
    } else {
        add_tiles_init(cb, cb_in1);
    }
}

void combine_block(bool multiply, uint32_t cb, uint32_t tiles) {
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        if (multiply) {
            mul_tiles(cb, cb_in1, tile, tile, tile);
        } else {
            add_tiles(cb, cb_in1, tile, tile, tile);
        }
    }
    pack_block(cb_out, tiles);
}

}  // namespace

void kernel_main() {
    const auto args = ShardBinaryArgs::read();
    const bool multiply = args.multiplies != 0;
    const bool silu = args.silu != 0;
    const auto shard = ShardBlocks::read();
    const uint32_t tiles = shard.block_tiles;
    const uint32_t cb_left = silu ? cb_activated : cb_in0;

    binary_op_init_common(cb_left, cb_in1, cb_out);
    if (!silu) {
        arm(multiply, cb_left);
    }
    for (uint32_t block = 0; block < shard.blocks; ++block) {
        if (silu) {
            activate_block(tiles);
        }
        cb_wait_front(cb_left, tiles);
        cb_wait_front(cb_in1, tiles);
        cb_reserve_back(cb_out, tiles);
        if (silu) {
            arm(multiply, cb_left);
        }
        combine_block(multiply, cb_left, tiles);
        cb_pop_front(cb_left, tiles);
        cb_pop_front(cb_in1, tiles);
        cb_push_back(cb_out, tiles);
    }
}
