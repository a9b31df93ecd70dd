// SPDX-License-Identifier: Apache-2.0
// Finds the largest magnitude of this core's tiles, and scales them when the writer has told the
// scale of all. One scale needs no order of elements: tiles are taken as they are in memory.
#include "../../shared/fp8_blocks/kernels/quantise.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::quantise;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_partial = index_of(Cb::Partial);
constexpr uint32_t cb_ones = index_of(Cb::Ones);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_out = index_of(Cb::Output);

// DST[0] = the larger of itself and the magnitudes of a turn of tiles; DST has four tiles.
void take_largest(uint32_t first) {
    init_copy(cb_rows);
    for (uint32_t tile = 0; tile < kTensorTurn; ++tile) {
        copy_tile(cb_rows, first + tile, 1 + tile);
    }
    abs_tile_init();
    for (uint32_t tile = 0; tile < kTensorTurn; ++tile) {
        abs_tile(1 + tile);
    }
    binary_max_tile_init();
    for (uint32_t tile = 0; tile < kTensorTurn; ++tile) {
        binary_max_tile(0, 1 + tile, 0);
    }
}

// The largest magnitudes stay in DST until the last tile.
void send_largest(uint32_t num_turns, bool is_kept, uint32_t cb_out_largest) {
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(0, 0.0F);
    for (uint32_t turn = 0; turn < num_turns; ++turn) {
        const uint32_t first = is_kept ? turn * kTensorTurn : 0;
        cb_wait_front(cb_rows, first + kTensorTurn);
        take_largest(first);
        if (!is_kept) {
            cb_pop_front(cb_rows, kTensorTurn);
        }
    }
    tile_regs_commit();
    cb_reserve_back(cb_out_largest, 1);
    pack_reconfig_data_format(cb_out_largest);
    tile_regs_wait();
    pack_tile(0, cb_out_largest);
    tile_regs_release();
    cb_push_back(cb_out_largest, 1);
}

// Pushes the codes of the turn of tiles at the front of the buffer.
void send_turn(float scale, fp8::CodeForm form) {
    cb_wait_front(cb_rows, kTensorTurn);
    tile_regs_acquire();
    init_copy(cb_rows);
    for (uint32_t tile = 0; tile < kTensorTurn; ++tile) {
        copy_tile(cb_rows, tile, tile);
    }
    fill_tile_init();
    fill_tile(kTensorTurn, scale);
    fp8_strips::scale_tiles(kTensorTurn, form);
    tile_regs_commit();
    cb_pop_front(cb_rows, kTensorTurn);
    cb_reserve_back(cb_out, kTensorTurn);
    tile_regs_wait();
    for (uint32_t tile = 0; tile < kTensorTurn; ++tile) {
        pack_tile(tile, cb_out);
    }
    tile_regs_release();
    cb_push_back(cb_out, kTensorTurn);
}

float told_scale() {
    union {
        uint32_t bits;
        float value;
    } scale;
    cb_wait_front(cb_scale, 1);
    scale.bits = read_tile_value(cb_scale, 0, 0);
    cb_pop_front(cb_scale, 1);
    return scale.value;
}

}  // namespace

void kernel_main() {
    const uint32_t num_turns = BlockCount::read().num_blocks;
    const auto args = TensorArgs::read();
    const auto form = static_cast<fp8::CodeForm>(ComputeArgs::read().form);
    const bool is_kept = args.is_kept != 0;
    const bool is_by_rows = static_cast<Largest>(args.largest) == Largest::OfRows;

    unary_op_init_common(cb_rows, cb_out);
    send_largest(num_turns, is_kept, is_by_rows ? cb_partial : cb_largest);
    if (is_by_rows) {
        cb_wait_front(cb_ones, 1);
        fp8_strips::send_row_largest(cb_partial, cb_ones, cb_largest);
    }
    // The scale comes when all cores have reported.
    const float scale = told_scale();
    pack_reconfig_data_format(cb_out);
    for (uint32_t turn = 0; turn < num_turns; ++turn) {
        send_turn(scale, form);
    }
}
