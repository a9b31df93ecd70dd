// SPDX-License-Identifier: Apache-2.0
// Attention with online softmax. Scores of a block of keys, their exponentials and the products
// with values stay in L1. So do a running maximum, sum and output of each row of queries.
//
// The maximum is rounded to bfloat16: any number near it serves, as it cancels in the end. Parts of
// a sequence that other cores have worked through are merged by the same rule.
#include "running.hpp"

namespace {

void fill(uint32_t cb, uint32_t tiles, float value) {
    cb_reserve_back(cb, tiles);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        tile_regs_acquire();
        fill_tile_init();
        fill_tile(0, value);
        tile_regs_commit();
        pack_reconfig_data_format(cb);
        tile_regs_wait();
        pack_tile(0, cb);
        tile_regs_release();
    }
    cb_push_back(cb, tiles);
}

void begin_unit(const Shapes& shapes) {
    // Queries are tilized once and multiplied with all keys of the unit.
    cb_reserve_back(cb_queries, shapes.query_tiles);
    tilize_rows(cb_query_rows, cb_queries, shapes.query_tiles);
    cb_push_back(cb_queries, shapes.query_tiles);
    cb_wait_front(cb_queries, shapes.query_tiles);
    // Above any masked score: a row that sees no key keeps this maximum, and its exponentials are
    // 0.
    fill(cb_largest, 1, kBeforeAll);
    fill(cb_sums, 1, 0);
    fill(cb_outputs, shapes.value_tiles, 0);
}

void end_unit(const Shapes& shapes) {
    // The unpacker must not pop what the packer has not pushed yet.
    cb_wait_front(cb_largest, 1);
    cb_pop_front(cb_largest, 1);
    cb_wait_front(cb_sums, 1);
    cb_pop_front(cb_sums, 1);
    cb_wait_front(cb_outputs, shapes.value_tiles);
    cb_pop_front(cb_outputs, shapes.value_tiles);
    cb_pop_front(cb_queries, shapes.query_tiles);
}

// Multiplies 32 rows of codes with their scales, rounds them to bfloat16 and packs them as key
// tiles.
void dequantise_rows(const Shapes& shapes) {
    cb_reserve_back(cb_codes, shapes.value_tiles);
    tilize_rows(cb_code_rows, cb_codes, shapes.value_tiles);
    cb_push_back(cb_codes, shapes.value_tiles);
    cb_wait_front(cb_codes, shapes.value_tiles);
    cb_wait_front(cb_scales, shapes.scale_tiles);
    // Two code tiles share one broadcast of their scales; a scale holds for 128 columns, which are
    // four tiles.
    constexpr uint32_t kTogether = 2;
    for (uint32_t first = 0; first < shapes.value_tiles; first += kTogether) {
        tile_regs_acquire();
        unary_bcast_init<BroadcastType::COL>(cb_scales, cb_keys);
        unary_bcast<BroadcastType::COL>(cb_scales, first / kScaledTiles, kTogether);
        for (uint32_t i = 0; i < kTogether && first + i < shapes.value_tiles; ++i) {
            copy_to(cb_codes, first + i, i);
            mul_binary_tile_init();
            mul_binary_tile(i, kTogether, i);
        }
        tile_regs_commit();
        pack_reconfig_data_format(cb_keys);
        tile_regs_wait();
        for (uint32_t i = 0; i < kTogether && first + i < shapes.value_tiles; ++i) {
            pack_tile(i, cb_keys);
        }
        tile_regs_release();
    }
    cb_pop_front(cb_scales, shapes.scale_tiles);
    cb_pop_front(cb_codes, shapes.value_tiles);
}

// Whole blocks of pages are handed over, also where fewer key tiles are left. So tiles of one block
// never lie on both ends of a circular buffer. Keys and values come in turn.
void tilize_block_rows(const Shapes& shapes, uint32_t num_tiles) {
    const uint32_t key_pages = shapes.block * shapes.query_tiles;
    const uint32_t value_pages = shapes.has_values != 0 ? shapes.block * shapes.value_tiles : 0;
    cb_reserve_back(cb_keys, key_pages);
    if (shapes.has_values != 0) {
        cb_reserve_back(cb_values, value_pages);
    }
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        if (shapes.scale_tiles != 0) {
            dequantise_rows(shapes);
            tilize_rows(cb_key_rows, cb_keys, shapes.query_tiles - shapes.value_tiles);
        } else {
            tilize_rows(cb_key_rows, cb_keys, shapes.query_tiles);
        }
        if (shapes.has_values != 0) {
            tilize_rows(cb_value_rows, cb_values, shapes.value_tiles);
        }
    }
    cb_push_back(cb_keys, key_pages);
    cb_wait_front(cb_keys, key_pages);
    if (shapes.has_values != 0) {
        cb_push_back(cb_values, value_pages);
        cb_wait_front(cb_values, value_pages);
    }
}

void score(const Shapes& shapes, uint32_t num_tiles, uint32_t masked) {
    cb_reserve_back(cb_scores, shapes.block);
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        tile_regs_acquire();
        reconfig_data_format(cb_keys, cb_queries);
        // The last argument transposes keys on their way to the source register: no transposed copy
        // is kept.
        mm_init_short(cb_queries, cb_keys, 1);
        for (uint32_t k = 0; k < shapes.query_tiles; ++k) {
            matmul_tiles(cb_queries, cb_keys, k, tile * shapes.query_tiles + k, 0);
        }
        binop_with_scalar_tile_init();
        mul_unary_tile(0, shapes.scale);
        // Only tiles at the edge of what a row may see have masks.
        if ((masked >> tile & 1) != 0) {
            cb_wait_front(cb_masks, 1);
            copy_to(cb_masks, 0, 1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            cb_pop_front(cb_masks, 1);
        }
        tile_regs_commit();
        pack_reconfig_data_format(cb_scores);
        tile_regs_wait();
        pack_tile(0, cb_scores);
        tile_regs_release();
    }
    cb_push_back(cb_scores, shapes.block);
    cb_wait_front(cb_scores, shapes.block);
}

// Finds the largest score of each row, in column 0. Tiles are compared element by element first, so
// that one reduction along rows serves the whole block.
void find_row_largest(uint32_t num_tiles) {
    tile_regs_acquire();
    copy_to(cb_scores, 0, 0);
    for (uint32_t tile = 1; tile < num_tiles; ++tile) {
        copy_to(cb_scores, tile, 1);
        binary_max_tile_init();
        binary_max_tile(0, 1, 0);
    }
    pack_alone(cb_tile_largest);
    cb_wait_front(cb_tile_largest, 1);
    // The reduction reads its operand from L1 as bfloat16. Any maximum near the largest score
    // serves, as the head of this file says.
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_tile_largest, cb_ones, cb_row_largest);
    tile_regs_acquire();
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_tile_largest, cb_ones, 0, 0, 0);
    pack_alone(cb_row_largest);
    reduce_uninit();
    cb_pop_front(cb_tile_largest, 1);
}

// DST[dst] = e^(DST[dst] − DST[largest]).
void grow(uint32_t dst, uint32_t largest) {
    sub_binary_tile_init();
    sub_binary_tile(dst, largest, dst);
    exp_tile_init();
    exp_tile(dst);
}

// Takes the largest of the block into the running one, and works out how that shrinks what was
// summed before.
void update_largest() {
    cb_wait_front(cb_row_largest, 1);
    cb_wait_front(cb_largest, 1);
    tile_regs_acquire();
    // Spread over all columns once; the exponentials below subtract it from whole tiles.
    unary_bcast_init<BroadcastType::COL>(cb_row_largest, cb_largest);
    unary_bcast<BroadcastType::COL>(cb_row_largest, 0, 0);
    copy_to(cb_largest, 0, 1);
    binary_max_tile_init();
    binary_max_tile(0, 1, 0);
    grow(1, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_one(0, cb_largest);
    pack_one(1, cb_shrink);
    tile_regs_release();
    // Popped behind the push of the new one: the buffer has two pages.
    cb_pop_front(cb_row_largest, 1);
    cb_pop_front(cb_largest, 1);
    cb_wait_front(cb_largest, 1);
    cb_wait_front(cb_shrink, 1);
}

void weigh(const Shapes& shapes, uint32_t num_tiles) {
    cb_reserve_back(cb_weights, shapes.block);
    // Exponentials are rounded to bfloat16, since the matrix unit multiplies them with values.
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        tile_regs_acquire();
        copy_to(cb_scores, tile, 0);
        copy_to(cb_largest, 0, 1);
        grow(0, 1);
        tile_regs_commit();
        pack_reconfig_data_format(cb_weights);
        tile_regs_wait();
        pack_tile(0, cb_weights);
        tile_regs_release();
    }
    cb_push_back(cb_weights, shapes.block);
    cb_pop_front(cb_scores, shapes.block);
    cb_wait_front(cb_weights, shapes.block);
}

// Sums are of the rounded exponentials that values are multiplied with.
void update_sums(uint32_t num_tiles) {
    cb_wait_front(cb_sums, 1);
    tile_regs_acquire();
    // Sums along rows are products with a tile of ones, so that every column holds the sum.
    reconfig_data_format(cb_ones, cb_weights);
    mm_init_short(cb_weights, cb_ones);
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        matmul_tiles(cb_weights, cb_ones, tile, 0, 0);
    }
    add_running(cb_sums, 0);
    pack_alone(cb_sums);
    cb_pop_front(cb_sums, 1);
}

void update_outputs(const Shapes& shapes, uint32_t num_tiles) {
    const uint32_t cb_block_values = shapes.cb_of_values();
    cb_wait_front(cb_outputs, shapes.value_tiles);
    cb_reserve_back(cb_outputs, shapes.value_tiles);
    // The output is the outer loop: its tile stays in DST over all keys of the block.
    for (uint32_t output = 0; output < shapes.value_tiles; ++output) {
        tile_regs_acquire();
        reconfig_data_format(cb_block_values, cb_weights);
        mm_init_short(cb_weights, cb_block_values);
        for (uint32_t tile = 0; tile < num_tiles; ++tile) {
            matmul_tiles(cb_weights, cb_block_values, tile, shapes.value_tile(tile, output), 0);
        }
        add_running(cb_outputs, output);
        tile_regs_commit();
        pack_reconfig_data_format(cb_outputs);
        tile_regs_wait();
        pack_tile(0, cb_outputs);
        tile_regs_release();
    }
    cb_push_back(cb_outputs, shapes.value_tiles);
    cb_pop_front(cb_outputs, shapes.value_tiles);
}

void attend_block(const Shapes& shapes) {
    cb_wait_front(cb_units, 1);
    const uint32_t num_tiles = read_tile_value(cb_units, 0, 0);
    const uint32_t masked = read_tile_value(cb_units, 0, 1);
    cb_pop_front(cb_units, 1);
    tilize_block_rows(shapes, num_tiles);
    score(shapes, num_tiles, masked);
    find_row_largest(num_tiles);
    update_largest();
    weigh(shapes, num_tiles);
    update_sums(num_tiles);
    update_outputs(shapes, num_tiles);
    // Everything of the block is dropped at once; the running values stay.
    cb_pop_front(cb_shrink, 1);
    cb_pop_front(cb_weights, shapes.block);
    cb_pop_front(cb_keys, shapes.block * shapes.query_tiles);
    if (shapes.has_values != 0) {
        cb_pop_front(cb_values, shapes.block * shapes.value_tiles);
    }
}

// DST[0] = another core's tile · its shrink + the running tile · shrink.
void merge_tile(uint32_t partial, uint32_t cb, uint32_t tile) {
    copy_to(cb_partial, partial, 0);
    copy_to(cb_partial_shrink, 0, 1);
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
    add_running(cb, tile);
}

void merge_partner(const Shapes& shapes) {
    cb_wait_front(cb_partial, shapes.value_tiles + 2);
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

// Sends running outputs over running sums, as rows.
void send_result(const Shapes& shapes) {
    cb_wait_front(cb_sums, 1);
    cb_wait_front(cb_outputs, shapes.value_tiles);
    // Four tiles side by side, so that a row of the output leaves in pieces of 256 bytes.
    for (uint32_t first = 0; first < shapes.value_tiles; first += kStripTiles) {
        cb_reserve_back(cb_result_rows, kStripTiles);
        for (uint32_t i = 0; i < kStripTiles && first + i < shapes.value_tiles; ++i) {
            tile_regs_acquire();
            copy_to(cb_outputs, first + i, 0);
            copy_to(cb_sums, 0, 1);
            // A token that sees no key has sums of 0, and a result of 0.
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

void kernel_main() {
    const Shapes shapes{ComputeArgs::read()};

    unary_op_init_common(cb_query_rows, cb_queries);
    cb_wait_front(cb_ones, 1);
    // An endless loop: only the reader knows how many units the sequences have.
    for (;;) {
        cb_wait_front(cb_units, 1);
        const uint32_t what = read_tile_value(cb_units, 0, 0);
        const uint32_t num_blocks = read_tile_value(cb_units, 0, 1);
        const uint32_t num_partners = read_tile_value(cb_units, 0, 2);
        cb_pop_front(cb_units, 1);
        if (what == kEnd) {
            return;
        }
        begin_unit(shapes);
        for (uint32_t block = 0; block < num_blocks; ++block) {
            attend_block(shapes);
        }
        for (uint32_t partner = 0; partner < num_partners; ++partner) {
            merge_partner(shapes);
        }
        if (what == kPartial) {
            send_partial(shapes);
        } else {
            send_result(shapes);
        }
        end_unit(shapes);
    }
}
