// SPDX-License-Identifier: Apache-2.0
// Adds three tiles: this device's own, the sum that arrived from the previous device, and, if the
// exchange runs in both directions, the sum that arrived from the far side.
#include "journey.hpp"

namespace {

struct Operands {
    bool has_partial;
    bool has_far_side;
};

void init_start(Operands operands) {
    // With a partial sum, one addition replaces a copy and an addition.
    if (operands.has_partial) {
        add_tiles_init(kCbOwn, kCbForward);
    } else {
        copy_tile_to_dst_init_short(kCbOwn);
    }
}

void start_with_own(uint32_t tile, Operands operands) {
    if (operands.has_far_side) {
        init_start(operands);  // the last addition, of the far side, armed another function
    }
    if (operands.has_partial) {
        add_tiles(kCbOwn, kCbForward, tile, tile, 0);
    } else {
        copy_tile(kCbOwn, tile, 0);
    }
}

void add_far_side(uint32_t tile) {
    // The sum is still in DST; it becomes an operand there instead of a detour through L1.
    binary_dest_reuse_tiles_init<EltwiseBinaryType::ELWADD,
                                 EltwiseBinaryReuseDestType::DEST_TO_SRCA>(kCbBackward);
    binary_dest_reuse_tiles<EltwiseBinaryType::ELWADD, EltwiseBinaryReuseDestType::DEST_TO_SRCA>(
        kCbBackward, tile, 0);
}

void add_tile(uint32_t tile, Operands operands) {
    tile_regs_acquire();
    start_with_own(tile, operands);
    if (operands.has_far_side) {
        add_far_side(tile);
    }
    tile_regs_commit();
    tile_regs_wait();
    // Packs to the tile's own place: the batch is reserved as a whole.
    pack_tile(0, kCbSum, tile);
    tile_regs_release();
}

void wait_for(uint32_t batch, Operands operands) {
    cb_wait_front(kCbOwn, batch);
    if (operands.has_partial) {
        cb_wait_front(kCbForward, batch);
    }
    if (operands.has_far_side) {
        cb_wait_front(kCbBackward, batch);
    }
}

void pop(uint32_t batch, Operands operands) {
    cb_pop_front(kCbOwn, batch);
    if (operands.has_partial) {
        cb_pop_front(kCbForward, batch);
    }
    if (operands.has_far_side) {
        cb_pop_front(kCbBackward, batch);
    }
}

}  // namespace

void kernel_main() {
    const Journey journey = journey_from_args(0);

    // The common init sets formats; init_start() sets the operation of each step.
    binary_op_init_common(kCbOwn, kCbForward, kCbSum);
    const uint32_t num_steps = journey.num_ahead() + (journey.completes() ? 1 : 0);
    for (uint32_t step = 0; step < num_steps; ++step) {
        const bool stays = step == journey.num_ahead();
        const Operands operands{journey.has_partial(), stays && journey.has_far_side()};
        // The far side contributes only in the last step, so operands are selected once per step.
        init_start(operands);
        for (uint32_t i = 0; i < journey.num_batches(); ++i) {
            // Buffers are awaited by the batch, as they are announced: a wait for each tile would
            // cost a call each.
            wait_for(journey.batch, operands);
            cb_reserve_back(kCbSum, journey.batch);
            for (uint32_t tile = 0; tile < journey.tiles_in(i); ++tile) {
                add_tile(tile, operands);
            }
            cb_push_back(kCbSum, journey.batch);
            pop(journey.batch, operands);
        }
    }
}
