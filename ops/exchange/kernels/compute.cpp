// SPDX-License-Identifier: Apache-2.0
// Adds a core's own tiles to the partial sums that arrive: received + own, in that order.
#include "plan.hpp"

namespace {

void pack_to(uint32_t cb, uint32_t tile) {
    tile_regs_wait();
    pack_tile<true>(0, cb, tile);
    tile_regs_release();
}

// The first device of a sum passes its own tiles on.
void start_sum(uint32_t tile, uint32_t out) {
    tile_regs_acquire();
    copy_tile(kCbLocal, tile, 0);
    tile_regs_commit();
    pack_to(out, tile);
}

// Both are bfloat16: the matrix unit's addition is exact up to the rounding to fp32, as the vector
// unit's is, and takes a tenth of the time.
void add_bfloat16(uint32_t tile, uint32_t out) {
    tile_regs_acquire();
    add_tiles(kCbReceived, kCbLocal, tile, tile, 0);
    tile_regs_commit();
    pack_to(out, tile);
}

void add_to_sum(uint32_t tile, uint32_t out) {
    tile_regs_acquire();
    copy_tile_to_dst_init_short_with_dt(kCbLocal, kCbReceived);
    copy_tile(kCbReceived, tile, 0);
    copy_tile_to_dst_init_short_with_dt(kCbReceived, kCbLocal);
    copy_tile(kCbLocal, tile, 1);
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
    tile_regs_commit();
    pack_to(out, tile);
}

void do_block(const Step& step, uint32_t tiles, uint32_t block_tiles, uint32_t out,
              bool is_bfloat16) {
    cb_wait_front(kCbLocal, block_tiles);
    if (step.receives()) {
        cb_wait_front(kCbReceived, block_tiles);
    }
    cb_reserve_back(out, block_tiles);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        if (!step.receives()) {
            start_sum(tile, out);
        } else if (is_bfloat16) {
            add_bfloat16(tile, out);
        } else {
            add_to_sum(tile, out);
        }
    }
    cb_push_back(out, block_tiles);
    cb_pop_front(kCbLocal, block_tiles);
    if (step.receives()) {
        cb_pop_front(kCbReceived, block_tiles);
    }
}

}  // namespace

void kernel_main() {
    const Plan plan = plan_from_args(0);

    const bool is_bfloat16 = get_compile_time_arg_val(0) != 0;

    unary_op_init_common(kCbLocal, kCbPartial);
    plan.for_each_phase([&](const Phase& phase) {
        if (!phase.sums) {
            return;
        }
        uint32_t num_received = 0;
        plan.for_each_piece(phase, [&](const Step& step, const Piece& piece) {
            const uint32_t out = step.sends() ? kCbPartial : kCbReduced;
            if (step.receives() && is_bfloat16) {
                add_tiles_init(kCbReceived, kCbLocal);
            } else {
                copy_tile_to_dst_init_short(kCbLocal);
            }
            pack_reconfig_data_format(out);
            const uint32_t tiles = (piece.bytes + kUnitBytes - 1) / kUnitBytes;
            for (uint32_t done = 0; done < tiles; done += phase.block_tiles) {
                const uint32_t left = tiles - done;
                do_block(step, left < phase.block_tiles ? left : phase.block_tiles,
                         phase.block_tiles, out, is_bfloat16);
                num_received += step.receives() ? 1 : 0;
            }
        });
        for (uint32_t i = plan.num_left_over(num_received); i > 0; --i) {
            cb_wait_front(kCbReceived, phase.block_tiles);
            cb_pop_front(kCbReceived, phase.block_tiles);
        }
    });
}
