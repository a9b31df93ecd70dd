// SPDX-License-Identifier: Apache-2.0
// The end of a unit: merges sums of other cores, and sends results, or its own sums.
#pragma once

#include "running.hpp"

namespace {

// DST[dst] = e^(DST[dst] − DST[largest]).
void grow(uint32_t dst, uint32_t largest) {
    sub_binary_tile_init();
    sub_binary_tile(dst, largest, dst);
    exp_tile_init();
    exp_tile(dst);
}

// DST[0] = another core's tile · its shrink + the running tile · shrink.
void merge_tile(uint32_t partial, uint32_t cb, uint32_t tile) {
    copy_to(cb_partial, partial, 0);
    copy_to(cb_partial_shrink, 0, 1);
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
    add_running(cb, tile);
}

// Takes the larger maximum of both sides, and pushes the factor of each.
void merge_largest() {
    cb_wait_front(cb_largest, 1);
    tile_regs_acquire();
    copy_to(cb_largest, 0, 0);
    copy_to(cb_partial, 0, 1);
    // DST 2 takes the larger maximum; 0 and 1 become the factors of both sides.
    copy_dest_values_init();
    copy_dest_values(0, 2);
    binary_max_tile_init();
    binary_max_tile(2, 1, 2);
    grow(0, 2);
    grow(1, 2);
    tile_regs_commit();
    tile_regs_wait();
    pack_one(2, cb_largest);
    pack_one(0, cb_shrink);
    pack_one(1, cb_partial_shrink);
    tile_regs_release();
    cb_pop_front(cb_largest, 1);
}

void merge_partner(const Shapes& shapes) {
    cb_wait_front(cb_partial, shapes.value_tiles + 2);
    merge_largest();
    cb_wait_front(cb_shrink, 1);
    cb_wait_front(cb_partial_shrink, 1);

    // Sum and outputs shrink by the same factors, as within a core.
    cb_wait_front(cb_sums, 1);
    tile_regs_acquire();
    merge_tile(1, cb_sums, 0);
    pack_alone(cb_sums);
    cb_pop_front(cb_sums, 1);
    cb_wait_front(cb_outputs, shapes.value_tiles);
    cb_reserve_back(cb_outputs, shapes.value_tiles);
    for (uint32_t output = 0; output < shapes.value_tiles; ++output) {
        tile_regs_acquire();
        merge_tile(2 + output, cb_outputs, output);
        tile_regs_commit();
        pack_reconfig_data_format(cb_outputs);
        tile_regs_wait();
        pack_tile(0, cb_outputs);
        tile_regs_release();
    }
    cb_push_back(cb_outputs, shapes.value_tiles);
    cb_pop_front(cb_outputs, shapes.value_tiles);
    cb_pop_front(cb_shrink, 1);
    cb_pop_front(cb_partial_shrink, 1);
    cb_pop_front(cb_partial, shapes.value_tiles + 2);
}

// Running outputs over running sums, as rows.
void send_result(const Shapes& shapes) {
    cb_wait_front(cb_sums, 1);
    cb_wait_front(cb_outputs, shapes.value_tiles);
    // Four adjacent tiles, so that an output row is written in pieces of 256 bytes.
    for (uint32_t first = 0; first < shapes.value_tiles; first += kStripTiles) {
        cb_reserve_back(cb_result_rows, kStripTiles);
        for (uint32_t i = 0; i < kStripTiles && first + i < shapes.value_tiles; ++i) {
            tile_regs_acquire();
            copy_to(cb_outputs, first + i, 0);
            copy_to(cb_sums, 0, 1);
            // A token without keys has sums of 0, and a result of 0.
            binop_with_scalar_tile_init();
            add_unary_tile(1, kSmallest);
            div_binary_tile_init();
            div_binary_tile(0, 1, 0);
            tile_regs_commit();
            pack_reconfig_data_format(cb_result_rows);
            pack_untilize_dest_init<1, kStripTiles>(cb_result_rows);
            tile_regs_wait();
            pack_untilize_dest<1, kStripTiles>(cb_result_rows, 1, i);
            tile_regs_release();
            pack_untilize_uninit(cb_result_rows);
        }
        cb_push_back(cb_result_rows, kStripTiles);
    }
}

void copy_partial(uint32_t cb, uint32_t tiles) {
    cb_wait_front(cb, tiles);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        tile_regs_acquire();
        copy_to(cb, tile, 0);
        tile_regs_commit();
        pack_reconfig_data_format(cb_own_partial);
        tile_regs_wait();
        pack_tile(0, cb_own_partial);
        tile_regs_release();
    }
}

void send_partial(const Shapes& shapes) {
    // Largest, sums and outputs in this order: the merging core reads them by place.
    cb_reserve_back(cb_own_partial, shapes.value_tiles + 2);
    copy_partial(cb_largest, 1);
    copy_partial(cb_sums, 1);
    copy_partial(cb_outputs, shapes.value_tiles);
    cb_push_back(cb_own_partial, shapes.value_tiles + 2);
}

}  // namespace
