// SPDX-License-Identifier: Apache-2.0
// Takes the scales back, silu(gate) · up in fp32, and quantises again, a strip of 128 columns at a
// time.
#include "../../shared/fp8_blocks/kernels/quantise.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::fp8_swiglu;

constexpr uint32_t cb_rows = index_of(Cb::Rows);
constexpr uint32_t cb_gate = index_of(Cb::Gate);
constexpr uint32_t cb_up = index_of(Cb::Up);
constexpr uint32_t cb_scales = index_of(Cb::Scales);
constexpr uint32_t cb_values = index_of(Cb::Values);
constexpr uint32_t cb_largest = index_of(Cb::Largest);
constexpr uint32_t cb_scale = index_of(Cb::Scale);
constexpr uint32_t cb_units = index_of(Cb::Units);
constexpr uint32_t cb_out = index_of(Cb::Output);

using fp8_strips::kStripTiles;

void tile_strip(uint32_t cb_tiles) {
    // Gate and up share one buffer, strip by strip.
    cb_wait_front(cb_rows, kStripTiles);
    cb_reserve_back(cb_tiles, kStripTiles);
    tilize_init(cb_rows, kStripTiles, cb_tiles);
    tilize_block(cb_rows, kStripTiles, cb_tiles);
    tilize_uninit(cb_rows, cb_tiles);
    cb_push_back(cb_tiles, kStripTiles);
    cb_pop_front(cb_rows, kStripTiles);
}

// DST[dst] = tile · the scales of its rows; DST[2] is overwritten.
void dequantise(uint32_t cb_tiles, uint32_t tile, uint32_t scales, uint32_t dst) {
    // DST 2 holds the broadcast scales, so 0 and 1 can hold gate and up.
    unary_bcast_init<BroadcastType::COL>(cb_scales, cb_values);
    unary_bcast<BroadcastType::COL>(cb_scales, scales, 2);
    copy_tile_to_dst_init_short_with_dt(cb_scales, cb_tiles);
    copy_tile(cb_tiles, tile, dst);
    mul_binary_tile_init();
    mul_binary_tile(dst, 2, dst);
}

void activate(uint32_t tile) {
    tile_regs_acquire();
    dequantise(cb_gate, tile, 0, 0);
    dequantise(cb_up, tile, 1, 1);
    silu_tile_init();
    silu_tile(0);
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_values);
    tile_regs_release();
}

// Pushes the values of a strip.
void activate_strip() {
    tile_strip(cb_gate);
    tile_strip(cb_up);
    cb_wait_front(cb_scales, 2);
    cb_wait_front(cb_gate, kStripTiles);
    cb_wait_front(cb_up, kStripTiles);
    cb_reserve_back(cb_values, kStripTiles);
    pack_reconfig_data_format(cb_values);
    for (uint32_t tile = 0; tile < kStripTiles; ++tile) {
        activate(tile);
    }
    cb_push_back(cb_values, kStripTiles);
    cb_pop_front(cb_gate, kStripTiles);
    cb_pop_front(cb_up, kStripTiles);
    cb_pop_front(cb_scales, 2);
}

// Sends the oldest strip as codes. The writer has turned its largest elements into scales, as in
// the product before.
void send_codes() {
    cb_wait_front(cb_scale, 1);
    fp8_strips::send_scaled_rows(cb_values, 0, {cb_scale}, fp8_strips::CodeForm::Divide, cb_out);
    cb_pop_front(cb_scale, 1);
    cb_pop_front(cb_values, kStripTiles);
}

// The writer makes the scales of a strip in scalar code, with a division for each row. The next
// strip is activated meanwhile.
void quantise_strips(uint32_t num_strips) {
    for (uint32_t strip = 0; strip < num_strips; ++strip) {
        activate_strip();
        const uint32_t held = strip == 0 ? 0 : kStripTiles;
        cb_wait_front(cb_values, held + kStripTiles);
        fp8_strips::send_largest(cb_values, held, cb_largest);
        if (strip != 0) {
            send_codes();
        }
    }
    if (num_strips != 0) {
        send_codes();
    }
}

void round_strips(uint32_t num_strips) {
    for (uint32_t strip = 0; strip < num_strips; ++strip) {
        activate_strip();
        cb_wait_front(cb_values, kStripTiles);
        fp8_strips::send_rows(cb_values, 0, cb_out);
        cb_pop_front(cb_values, kStripTiles);
    }
}

}  // namespace

void kernel_main() {
    const bool quantises = ComputeArgs::read().quantises != 0;
    unary_op_init_common(cb_rows, cb_values);
    cb_wait_front(cb_units, 1);
    // Only the reader knows how many CTAs are live.
    const uint32_t num_strips = read_tile_value(cb_units, 0, 0);
    if (quantises) {
        quantise_strips(num_strips);
    } else {
        round_strips(num_strips);
    }
    // Popped last: both unpacker and reader agree that the launch is over.
    cb_pop_front(cb_units, 1);
}
