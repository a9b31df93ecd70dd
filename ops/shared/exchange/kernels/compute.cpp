// SPDX-License-Identifier: Apache-2.0
// Adds a core's own tiles to the partial sums that arrive: received + own, in that order.
#include "../../kernels/arithmetic.hpp"
#include "plan.hpp"

namespace {

constexpr uint32_t kMostTiles = 4;  // float32 tiles in half of DST

// Filled once and never popped: all additions of float32 sums read this tile.
void make_zeros() {
    cb_reserve_back(kCbZeros, 1);
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(0, 0.0F);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, kCbZeros);
    tile_regs_release();
    cb_push_back(kCbZeros, 1);
    cb_wait_front(kCbZeros, 1);
}

// Tiles [first, first + count) of a block; count ≤ kMostTiles.
struct Tiles {
    uint32_t first;
    uint32_t count;
};

template <typename Act>
void for_each(Tiles tiles, Act act) {
    for (uint32_t i = 0; i < tiles.count; ++i) {
        act(tiles.first + i, i);
    }
}

// The first device of a sum passes its own tiles on.
void start_sum(uint32_t own, Tiles tiles) {
    for_each(tiles, [&](uint32_t tile, uint32_t dst) { copy_tile(own, tile, dst); });
}

// Adds in the matrix unit, as both operands are bfloat16. The addition is exact up to the rounding
// to fp32, as the vector unit's is, and takes a tenth of the time.
void add_bfloat16(Tiles tiles) {
    for_each(tiles, [](uint32_t tile, uint32_t dst) {
        add_tiles(kCbReceived, kCbLocal, tile, tile, dst);
    });
}

// float32 sums go directly to DST, where the matrix unit adds its source registers: own − 0, which
// is own whatever its sign. The vector unit takes twice as long for a tile as a link does; with
// this form the link is slower.
void add_to_float32(Tiles tiles) {
    copy_tile_to_dst_init_short_with_dt(kCbLocal, kCbReceived);
    for_each(tiles, [](uint32_t tile, uint32_t dst) { copy_tile(kCbReceived, tile, dst); });
    reconfig_data_format_srca(kCbReceived, kCbLocal);
    sub_tiles_init(kCbLocal, kCbZeros, true);
    for_each(tiles,
             [](uint32_t tile, uint32_t dst) { sub_tiles(kCbLocal, kCbZeros, tile, 0, dst); });
}

// Source registers would cut float32 to 10 bits of mantissa, so the vector unit adds the two.
void add_both_float32(uint32_t tile) {
    copy_tile_to_dst_init_short(kCbReceived);
    copy_tile(kCbReceived, tile, 0);
    copy_tile_to_dst_init_short(kCbEarlier);
    copy_tile(kCbEarlier, tile, 1);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
}

// Treatment of a step's blocks.
struct Addition {
    bool receives;
    bool travels_as_fp32;
    uint32_t own;
    uint32_t out;

    // Set once per step: its blocks use the same operands and the same output.
    void init() const {
        if (receives && !travels_as_fp32) {
            add_tiles_init(kCbReceived, kCbLocal);
        } else if (!receives || own == kCbEarlier) {
            reconfig_data_format_srca(own);
            copy_tile_to_dst_init_short(own);
        }
        pack_reconfig_data_format(out);
    }
    // Number of tiles that `make` processes at a time.
    uint32_t tiles_at_once() const { return receives && own == kCbEarlier ? 1 : kMostTiles; }
    void make(Tiles tiles) const {
        if (!receives) {
            start_sum(own, tiles);
        } else if (!travels_as_fp32) {
            add_bfloat16(tiles);
        } else if (own == kCbLocal) {
            add_to_float32(tiles);
        } else {
            add_both_float32(tiles.first);
        }
    }
    void do_block(uint32_t tiles, uint32_t block_tiles) const {
        cb_wait_front(own, block_tiles);
        if (receives) {
            cb_wait_front(kCbReceived, block_tiles);
        }
        // Whole blocks, also for a short last one: buffers are multiples of blocks and wrap only at
        // their exact end.
        cb_reserve_back(out, block_tiles);
        // DST holds four tiles of float32; an addition of two float32 operands needs a second place
        // for each tile.
        for (uint32_t first = 0; first < tiles; first += tiles_at_once()) {
            const uint32_t left = tiles - first;
            const Tiles some{first, left < tiles_at_once() ? left : tiles_at_once()};
            tile_regs_acquire();
            make(some);
            tile_regs_commit();
            tile_regs_wait();
            // Packs to the tile's own place: the block is reserved as a whole.
            for_each(some, [&](uint32_t tile, uint32_t dst) { pack_tile<true>(dst, out, tile); });
            tile_regs_release();
        }
        cb_push_back(out, block_tiles);
        cb_pop_front(own, block_tiles);
        if (receives) {
            cb_pop_front(kCbReceived, block_tiles);
        }
    }
};

}  // namespace

void kernel_main() {
    const Plan plan = plan_from_args(0);

    const bool travels_as_fp32 = ComputeArgs::read().sums_are_fp32 != 0;

    unary_op_init_common(kCbLocal, kCbPartial);
    if (travels_as_fp32) {
        pack_reconfig_data_format(kCbZeros);
        make_zeros();
    }
    plan.for_each_phase([&](const Phase& phase) {
        // Phases that only pass slices on have no additions.
        if (!phase.sums) {
            return;
        }
        uint32_t num_received = 0;
        Turns turns(plan, phase);
        for (Turn turn = turns.next(); !turn.is_done(); turn = turns.next()) {
            const Step& step = turn.step;
            const Addition addition{step.receives(), travels_as_fp32, step.own_cb(travels_as_fp32),
                                    step.sum_cb(travels_as_fp32)};
            addition.init();
            const uint32_t tiles = div_up(turn.piece.bytes, kUnitBytes);
            for (uint32_t done = 0; done < tiles; done += phase.block_tiles) {
                const uint32_t left = tiles - done;
                addition.do_block(left < phase.block_tiles ? left : phase.block_tiles,
                                  phase.block_tiles);
                num_received += step.receives() ? 1 : 0;
            }
        }
        // Pops the padding blocks of the reader, so that all three pointers are at the buffer's
        // start again.
        for (uint32_t i = plan.num_left_over(num_received); i > 0; --i) {
            cb_wait_front(kCbReceived, phase.block_tiles);
            cb_pop_front(kCbReceived, phase.block_tiles);
        }
    });
}
