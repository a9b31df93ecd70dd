// SPDX-License-Identifier: Apache-2.0
// Moves of tiles between CBs and DST, in a compute kernel.
#pragma once

#include <cstdint>

// DST[dst] = a tile of `cb`, whatever format the unpacker was set to before.
inline void copy_to(uint32_t cb, uint32_t tile, uint32_t dst) {
    copy_tile_to_dst_init_short_with_dt(cb, cb);
    copy_tile(cb, tile, dst);
}

// Tilizes rows of `tiles` tiles; the caller reserves and pushes them.
inline void tilize_rows(uint32_t cb_rows, uint32_t cb_tiles, uint32_t tiles) {
    cb_wait_front(cb_rows, tiles);
    tilize_init(cb_rows, tiles, cb_tiles);
    tilize_block(cb_rows, tiles, cb_tiles);
    tilize_uninit(cb_rows, cb_tiles);
    cb_pop_front(cb_rows, tiles);
}
