// SPDX-License-Identifier: Apache-2.0
// Adds a core's own tiles to the partial sums that arrive: received + own, in that order.
#include "ring_slice.hpp"

namespace {

void pack_to(uint32_t cb) {
    cb_reserve_back(cb, 1);
    // Waits for DST after the reserve, so that a full buffer holds up the packer only.
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

// The first device of a chunk passes its own tiles on.
void start_sum() {
    cb_wait_front(kCbLocal, 1);
    tile_regs_acquire();
    copy_tile(kCbLocal, 0, 0);
    tile_regs_commit();
    // Popped as soon as DST holds the tile; the reader may refill the page while it is packed.
    cb_pop_front(kCbLocal, 1);
    pack_to(kCbPartial);
}

void add_to_sum(uint32_t out) {
    cb_wait_front(kCbReceived, 1);
    cb_wait_front(kCbLocal, 1);
    tile_regs_acquire();
    // Formats differ: the sum is float32 or bfloat16, own tiles are bfloat16. The unpacker is set
    // before each copy.
    copy_tile_to_dst_init_short_with_dt(kCbLocal, kCbReceived);
    copy_tile(kCbReceived, 0, 0);
    copy_tile_to_dst_init_short_with_dt(kCbReceived, kCbLocal);
    copy_tile(kCbLocal, 0, 1);
    // In the vector unit: the matrix unit would cut float32 sums to 10 bits of mantissa.
    add_binary_tile_init();
    add_binary_tile(0, 1, 0);
    tile_regs_commit();
    cb_pop_front(kCbReceived, 1);
    cb_pop_front(kCbLocal, 1);
    pack_to(out);
}

void sum_tiles(const TileRange& chunk, uint32_t step, uint32_t last_step) {
    for (uint32_t tile = chunk.begin; tile < chunk.end; ++tile) {
        if (step == 0) {
            start_sum();
        } else {
            add_to_sum(step == last_step ? kCbReduced : kCbPartial);
        }
    }
}

}  // namespace

void kernel_main() {
    const RingSlice slice = ring_slice_from_args(0);
    const uint32_t last_step = slice.num_devices - 1;

    unary_op_init_common(kCbLocal, kCbPartial);
    for (uint32_t round = 0; round < slice.num_rounds(); ++round) {
        for (uint32_t step = 0; step < slice.num_devices; ++step) {
            const TileRange chunk = slice.to_reduce(round, step);
            // A step changes what is packed where; inside of a step the packer keeps its format.
            if (step == 0) {
                copy_tile_to_dst_init_short(kCbLocal);
                pack_reconfig_data_format(kCbPartial);
            } else if (step == last_step) {
                pack_reconfig_data_format(kCbReduced);
            }
            sum_tiles(chunk, step, last_step);
        }
    }
}
