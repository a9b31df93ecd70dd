// SPDX-License-Identifier: Apache-2.0
// Attention with online softmax. Scores of a block of keys, their exponentials and the products
// with values stay in L1, together with a running maximum, sum and output of each row of queries.
//
// The maximum is rounded to bfloat16: it cancels in the end, so any number near it is valid. Parts
// of a sequence from other cores are merged by the same rule.
#pragma once

#include "results.hpp"

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

// A sink is a key without a value before all other keys: the running maximum starts with it, and
// the sum with its exponential, which is 1.
inline void begin_largest(bool has_sinks) {
    if (!has_sinks) {
        // Above any masked score: a row without keys keeps this maximum, and its exponentials are
        // 0.
        fill(cb_largest, 1, kBeforeAll);
        fill(cb_sums, 1, 0);
        return;
    }
    cb_wait_front(cb_sinks, 1);
    tile_regs_acquire();
    unary_bcast_init<BroadcastType::COL>(cb_sinks, cb_largest);
    unary_bcast<BroadcastType::COL>(cb_sinks, 0, 0);
    pack_alone(cb_largest);
    cb_pop_front(cb_sinks, 1);
    fill(cb_sums, 1, 1);
}

// Running tiles of all strips queue in the same buffers, in the order of the strips.
template <class Form>
void begin_unit(const Shapes& shapes, uint32_t what) {
    // Queries are tilized once and multiplied with all keys of the unit.
    const uint32_t strips = Form::strips(shapes);
    cb_reserve_back(cb_queries, strips * shapes.query_tiles);
    for (uint32_t strip = 0; strip < strips; ++strip) {
        tilize_rows(cb_query_rows, cb_queries, shapes.query_tiles);
    }
    cb_push_back(cb_queries, strips * shapes.query_tiles);
    cb_wait_front(cb_queries, strips * shapes.query_tiles);
    for (uint32_t strip = 0; strip < strips; ++strip) {
        begin_largest(Form::has_sinks(shapes) && what == kResult);
        fill(cb_outputs, shapes.value_tiles, 0);
    }
}

void end_strip(const Shapes& shapes) {
    // The unpacker must not pop what the packer has not pushed yet.
    cb_wait_front(cb_largest, 1);
    cb_pop_front(cb_largest, 1);
    cb_wait_front(cb_sums, 1);
    cb_pop_front(cb_sums, 1);
    cb_wait_front(cb_outputs, shapes.value_tiles);
    cb_pop_front(cb_outputs, shapes.value_tiles);
}

// 32 rows of codes times their scales, rounded to bfloat16, to key tiles.
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

// Whole blocks of pages are pushed, even if fewer key tiles are left, so that tiles of one block
// never are at both ends of a circular buffer. Keys and values alternate.
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

template <class Form>
void score(const Shapes& shapes, uint32_t strip, uint32_t num_tiles, uint32_t masked) {
    uint32_t mask = 0;
    cb_reserve_back(cb_scores, shapes.block);
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        tile_regs_acquire();
        reconfig_data_format(cb_keys, cb_queries);
        // The last argument transposes keys on their way to the source register: no transposed copy
        // is kept.
        mm_init_short(cb_queries, cb_keys, 1);
        for (uint32_t k = 0; k < shapes.query_tiles; ++k) {
            matmul_tiles(cb_queries, cb_keys, strip * shapes.query_tiles + k,
                         tile * shapes.query_tiles + k, 0);
        }
        binop_with_scalar_tile_init();
        mul_unary_tile(0, shapes.scale);
        // Only tiles at the edge of a row's visible keys have masks.
        if ((masked >> tile & 1) != 0) {
            Form::wait_mask(shapes);
            copy_to(cb_masks, mask, 1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            Form::next_mask(mask);
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
// one reduction along rows serves the whole block.
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

// Takes the largest of the block into the running one, and works out how that shrinks what was
// summed before.
template <class Form>
void update_largest() {
    cb_wait_front(cb_row_largest, 1);
    cb_wait_front(cb_largest, 1);
    tile_regs_acquire();
    // Broadcast over all columns once; the exponentials below subtract it from whole tiles.
    unary_bcast_init<BroadcastType::COL>(cb_row_largest, cb_largest);
    unary_bcast<BroadcastType::COL>(cb_row_largest, 0, 0);
    copy_to(cb_largest, 0, 1);
    binary_max_tile_init();
    binary_max_tile(0, 1, 0);
    grow(1, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_one(0, cb_largest);
    if constexpr (Form::kHasStrips) {
        pack_one(0, Form::kLargestOfStrip);
    }
    pack_one(1, cb_shrink);
    tile_regs_release();
    // Popped after the push of the new one: the buffer has two pages.
    cb_pop_front(cb_row_largest, 1);
    cb_pop_front(cb_largest, 1);
    cb_wait_front(Form::kLargestOfStrip, 1);
    cb_wait_front(cb_shrink, 1);
}

template <class Form>
void weigh(const Shapes& shapes, uint32_t num_tiles) {
    // Exponentials are rounded to bfloat16, since the matrix unit multiplies them with values.
    cb_reserve_back(cb_weights, shapes.block);
    for (uint32_t tile = 0; tile < num_tiles; ++tile) {
        tile_regs_acquire();
        copy_to(cb_scores, tile, 0);
        copy_to(Form::kLargestOfStrip, 0, 1);
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
    if constexpr (Form::kHasStrips) {
        cb_pop_front(Form::kLargestOfStrip, 1);
    }
}

// Sums are of the rounded exponentials that values are multiplied with.
void update_sums(uint32_t num_tiles) {
    cb_wait_front(cb_sums, 1);
    tile_regs_acquire();
    // Sums along rows are products with a tile of ones, so every column has the sum.
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

template <class Form>
void attend_strip(const Shapes& shapes, uint32_t strip, uint32_t num_tiles, uint32_t masked) {
    score<Form>(shapes, strip, num_tiles, masked);
    find_row_largest(num_tiles);
    update_largest<Form>();
    weigh<Form>(shapes, num_tiles);
    update_sums(num_tiles);
    update_outputs(shapes, num_tiles);
    // The whole block is popped at once; the running values stay.
    cb_pop_front(cb_shrink, 1);
    cb_pop_front(cb_weights, shapes.block);
}

// Reads and tilizes the keys and values of a block once for all strips of queries.
template <class Form>
void attend_block(const Shapes& shapes) {
    cb_wait_front(cb_units, 1);
    const uint32_t num_tiles = read_tile_value(cb_units, 0, 0);
    const uint32_t masked = read_tile_value(cb_units, 0, 1);
    cb_pop_front(cb_units, 1);
    tilize_block_rows(shapes, num_tiles);
    for (uint32_t strip = 0; strip < Form::strips(shapes); ++strip) {
        attend_strip<Form>(shapes, strip, num_tiles, masked);
    }
    Form::end_masks(shapes, masked);
    cb_pop_front(cb_keys, shapes.block * shapes.query_tiles);
    if (shapes.has_values != 0) {
        cb_pop_front(cb_values, shapes.block * shapes.value_tiles);
    }
}

template <class Form>
void end_unit(const Shapes& shapes, uint32_t what) {
    for (uint32_t strip = 0; strip < Form::strips(shapes); ++strip) {
        if (what == kPartial) {
            send_partial(shapes);
        } else {
            send_result(shapes);
        }
        end_strip(shapes);
    }
    cb_pop_front(cb_queries, Form::strips(shapes) * shapes.query_tiles);
}

// Each mask is used once.
struct OneStrip {
    static constexpr bool kHasStrips = false;
    static constexpr uint32_t kLargestOfStrip = cb_largest;
    static uint32_t strips(const Shapes& /*shapes*/) { return 1; }
    static bool has_sinks(const Shapes& /*shapes*/) { return false; }
    static void wait_mask(const Shapes& /*shapes*/) { cb_wait_front(cb_masks, 1); }
    static void next_mask(uint32_t& /*mask*/) { cb_pop_front(cb_masks, 1); }
    static void end_masks(const Shapes& /*shapes*/, uint32_t /*masked*/) {}
};

// Masks of a block are pushed together, one page per key tile, and serve all strips.
struct ManyStrips {
    static constexpr bool kHasStrips = true;
    static constexpr uint32_t kLargestOfStrip = cb_strip_largest;
    static uint32_t strips(const Shapes& shapes) { return shapes.strips; }
    static bool has_sinks(const Shapes& shapes) { return shapes.has_sinks != 0; }
    static void wait_mask(const Shapes& shapes) { cb_wait_front(cb_masks, shapes.block); }
    static void next_mask(uint32_t& mask) { mask += 1; }
    static void end_masks(const Shapes& shapes, uint32_t masked) {
        if (masked != 0) {
            cb_pop_front(cb_masks, shapes.block);
        }
    }
};

// The kernel. `Form`: OneStrip or ManyStrips.
template <class Form>
void attend_units() {
    const Shapes shapes{ComputeArgs::read()};

    unary_op_init_common(cb_query_rows, cb_queries);
    cb_wait_front(cb_ones, 1);
    // An endless loop: only the reader knows the number of units.
    for (;;) {
        cb_wait_front(cb_units, 1);
        const uint32_t what = read_tile_value(cb_units, 0, 0);
        const uint32_t num_blocks = read_tile_value(cb_units, 0, 1);
        const uint32_t num_partners = read_tile_value(cb_units, 0, 2);
        cb_pop_front(cb_units, 1);
        if (what == kEnd) {
            return;
        }
        begin_unit<Form>(shapes, what);
        for (uint32_t block = 0; block < num_blocks; ++block) {
            attend_block<Form>(shapes);
        }
        for (uint32_t partner = 0; partner < num_partners; ++partner) {
            merge_partner(shapes);
        }
        end_unit<Form>(shapes, what);
    }
}

}  // namespace
