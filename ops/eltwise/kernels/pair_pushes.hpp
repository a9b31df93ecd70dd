// SPDX-License-Identifier: Apache-2.0
// Loop of the kernels that compute tile pairs.
#pragma once

#include "args.hpp"

namespace tessera::ops::eltwise {

// Calls `compute(tile)` with DST acquired for each pair of a core's range, and packs DST 0. All
// three kernels divide the range in the same way: whole pushes, then single tiles. No push then
// crosses the end of the buffer, where pages are not contiguous.
template <class Compute>
inline void for_each_pair(uint32_t num_tiles, uint32_t tiles_per_push, Compute compute) {
    constexpr uint32_t cb_a = index_of(Cb::A);
    constexpr uint32_t cb_b = index_of(Cb::B);
    constexpr uint32_t cb_out = index_of(Cb::Output);
    for (uint32_t left = num_tiles; left > 0;) {
        const uint32_t count = left < tiles_per_push ? 1 : tiles_per_push;
        cb_wait_front(cb_a, count);
        cb_wait_front(cb_b, count);
        // Space for the whole push is reserved first, because packs go to consecutive pages after
        // the write pointer.
        cb_reserve_back(cb_out, count);
        for (uint32_t tile = 0; tile < count; ++tile) {
            tile_regs_acquire();
            compute(tile);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, cb_out);
            tile_regs_release();
        }
        cb_pop_front(cb_a, count);
        cb_pop_front(cb_b, count);
        cb_push_back(cb_out, count);
        left -= count;
    }
}

}  // namespace tessera::ops::eltwise
