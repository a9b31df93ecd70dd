// SPDX-License-Identifier: Apache-2.0
// add, sub or mul of tile pairs in the matrix unit.
#include "args.hpp"
#include "function_code.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::eltwise;

constexpr uint32_t cb_a = index_of(Cb::A);
constexpr uint32_t cb_b = index_of(Cb::B);
constexpr uint32_t cb_out = index_of(Cb::Output);

void init(uint32_t function) {
    if (function == kAdd) {
        add_tiles_init(cb_a, cb_b);
    } else if (function == kSub) {
        sub_tiles_init(cb_a, cb_b);
    } else {
        mul_tiles_init(cb_a, cb_b);
    }
}

void apply(uint32_t function, uint32_t tile) {
    if (function == kAdd) {
        add_tiles(cb_a, cb_b, tile, tile, 0);
    } else if (function == kSub) {
        sub_tiles(cb_a, cb_b, tile, tile, 0);
    } else {
        mul_tiles(cb_a, cb_b, tile, tile, 0);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t num_tiles = ComputeRange::read().num_tiles;
    const auto args = ComputeArgs::read();

    binary_op_init_common(cb_a, cb_b, cb_out);
    init(args.function);
    for (uint32_t left = num_tiles; left > 0;) {
        // All three kernels divide the range in the same way: whole pushes, then single tiles. No
        // push then crosses the end of the buffer, where pages are not contiguous.
        const uint32_t count = left < args.tiles_per_push ? 1 : args.tiles_per_push;
        cb_wait_front(cb_a, count);
        cb_wait_front(cb_b, count);
        // Space for the whole push is reserved first, because packs go to consecutive pages after
        // the write pointer.
        cb_reserve_back(cb_out, count);
        for (uint32_t tile = 0; tile < count; ++tile) {
            tile_regs_acquire();
            apply(args.function, tile);
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
