// SPDX-License-Identifier: Apache-2.0
// Moves of tiles between CBs and DST, in a compute kernel.
#pragma once

#include <cstdint>

// Sets the unpacker up for copies from `cb`, whatever format it had before. The call with an old CB
// is of no use here: a card compares the formats of its two CBs, and does nothing if they are equal.
inline void init_copy(uint32_t cb) {
    reconfig_data_format_srca(cb);
    copy_tile_to_dst_init_short(cb);
}

// DST[dst] = a tile of `cb`, whatever format the unpacker was set to before.
inline void copy_to(uint32_t cb, uint32_t tile, uint32_t dst) {
    init_copy(cb);
    copy_tile(cb, tile, dst);
}

// For each of `count` tiles: waits for a page of each input, calls `compute`, which leaves its result
// in DST[0], and pushes that.
template <class Compute, class... Inputs>
inline void for_each_tile(uint32_t count, Compute compute, uint32_t cb_out, Inputs... cbs_in) {
    for (uint32_t tile = 0; tile < count; ++tile) {
        (cb_wait_front(cbs_in, 1), ...);
        tile_regs_acquire();
        compute();
        tile_regs_commit();
        // DST holds the result, so the reader may refill the pages while it is packed.
        (cb_pop_front(cbs_in, 1), ...);

        cb_reserve_back(cb_out, 1);
        tile_regs_wait();
        pack_tile(0, cb_out);
        tile_regs_release();
        cb_push_back(cb_out, 1);
    }
}

// Tilizes rows of `tiles` tiles; the caller reserves and pushes them.
inline void tilize_rows(uint32_t cb_rows, uint32_t cb_tiles, uint32_t tiles) {
    cb_wait_front(cb_rows, tiles);
    tilize_init(cb_rows, tiles, cb_tiles);
    tilize_block(cb_rows, tiles, cb_tiles);
    tilize_uninit(cb_rows, cb_tiles);
    cb_pop_front(cb_rows, tiles);
}

// DST[0] to DST[tiles - 1] = 0.
inline void zero_tiles(uint32_t tiles) {
    fill_tile_init();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        fill_tile(tile, 0.0F);
    }
}

// Ends a section of DST: pushes DST[0] as rows.
inline void push_as_rows(uint32_t cb_out) {
    tile_regs_commit();
    pack_reconfig_data_format(cb_out);
    pack_untilize_dest_init<1>(cb_out);
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_untilize_dest<1>(cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    pack_untilize_uninit(cb_out);
}

// DST[0] = the sum of `count` float32 tiles from page `first` of `cb` on, three at a time: DST
// holds four.
inline void sum_tiles(uint32_t cb, uint32_t first, uint32_t count) {
    constexpr uint32_t kAtOnce = 3;
    copy_to(cb, first, 0);
    for (uint32_t added = 1; added < count; added += kAtOnce) {
        const uint32_t more = count - added < kAtOnce ? count - added : kAtOnce;
        init_copy(cb);
        for (uint32_t i = 0; i < more; ++i) {
            copy_tile(cb, first + added + i, 1 + i);
        }
        add_binary_tile_init();
        for (uint32_t i = 0; i < more; ++i) {
            add_binary_tile(0, 1 + i, 0);
        }
    }
}
