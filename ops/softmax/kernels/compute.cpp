// SPDX-License-Identifier: Apache-2.0
// Divides each row's exponentials by their sum. The exponent is relative to the largest element,
// rounded to bfloat16: it cancels in the quotient, so any number near it is valid.
#include "../../shared/row_strips/kernels/row_strips.hpp"
#include "args.hpp"

using namespace row_strips;
using tessera::ops::softmax::ComputeArgs;

namespace {

constexpr uint32_t cb_largest = cb_first_statistic;
constexpr uint32_t cb_quotient = cb_second_statistic;

void find_largest(uint32_t tiles) {
    // Tiles are compared element by element first, so one reduction serves the row.
    tile_regs_acquire();
    copy_to(cb_tiles, 0, 0);
    for (uint32_t tile = 1; tile < tiles; ++tile) {
        copy_to(cb_tiles, tile, 1);
        binary_max_tile_init();
        binary_max_tile(0, 1, 0);
    }
    // The reduction of the matrix unit reads bfloat16 from L1.
    pack_to(cb_high);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_high, cb_ones, cb_low);
    tile_regs_acquire();
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_high, cb_ones, 0, 0, 0);
    pack_to(cb_low);
    reduce_uninit();
    tile_regs_acquire();
    // Broadcast to all columns once, for the many tiles that subtract it.
    unary_bcast_init<BroadcastType::COL>(cb_low, cb_largest);
    unary_bcast<BroadcastType::COL>(cb_low, 0, 0);
    pack_to(cb_largest);
    cb_pop_front(cb_high, 1);
    cb_pop_front(cb_low, 1);
}

// DST[dst] = e^(scale · (x − largest)) of a tile.
void exponentials(uint32_t tile, uint32_t dst, uint32_t scale) {
    copy_to(cb_tiles, tile, dst);
    copy_to(cb_largest, 0, dst + 1);
    sub_binary_tile_init();
    sub_binary_tile(dst, dst + 1, dst);
    binop_with_scalar_tile_init();
    mul_unary_tile(dst, scale);
    exp_tile_init();
    exp_tile(dst);
}

void find_quotient(uint32_t tiles, uint32_t scale) {
    tile_regs_acquire();
    // Exponentials are made twice, here and for the output: keeping them would need a second row of
    // tiles in L1.
    exponentials(0, 0, scale);
    for (uint32_t tile = 1; tile < tiles; ++tile) {
        exponentials(tile, 1, scale);
        add_binary_tile_init();
        add_binary_tile(0, 1, 0);
    }
    sum_rows_of_dst();
    // One reciprocal for a row, and products for its elements.
    recip_tile_init();
    recip_tile(0);
    pack_to(cb_quotient);
}

}  // namespace

void kernel_main() {
    const uint32_t num_units = UnitCount::read().num_units;
    const uint32_t strips = StripArgs::read().strips;
    const uint32_t scale = ComputeArgs::read().scale;

    unary_op_init_common(cb_rows, cb_tiles);
    cb_wait_front(cb_ones, 1);
    for (uint32_t unit = 0; unit < num_units; ++unit) {
        tilize_unit(strips);
        find_largest(strips * kStripTiles);
        find_quotient(strips * kStripTiles, scale);
        send_unit(strips, [scale](uint32_t tile) {
            exponentials(tile, 0, scale);
            copy_to(cb_quotient, 0, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
        });
        cb_pop_front(cb_largest, 1);
        cb_pop_front(cb_quotient, 1);
        cb_pop_front(cb_tiles, strips * kStripTiles);
    }
}
