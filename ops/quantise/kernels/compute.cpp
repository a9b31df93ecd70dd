// SPDX-License-Identifier: Apache-2.0
// Tiles the strips of a block, sends the writer their largest magnitudes, and scales them when it
// has answered. Of a tensor, whose strips come twice, none is kept.
#include "../../shared/fp8_blocks/kernels/quantise.hpp"

namespace {

constexpr uint32_t cb_rows = 0;
constexpr uint32_t cb_values = 5;
constexpr uint32_t cb_largest = 6;
constexpr uint32_t cb_scale = 7;
constexpr uint32_t cb_out = 16;

using quantise::kStripTiles;

void tile_strip() {
    cb_wait_front(cb_rows, kStripTiles);
    cb_reserve_back(cb_values, kStripTiles);
    tilize_init(cb_rows, kStripTiles, cb_values);
    tilize_block(cb_rows, kStripTiles, cb_values);
    tilize_uninit(cb_rows, cb_values);
    cb_push_back(cb_values, kStripTiles);
    cb_pop_front(cb_rows, kStripTiles);
}

void scale_tensor(uint32_t num_strips, quantise::Form form) {
    for (uint32_t strip = 0; strip < num_strips; ++strip) {
        tile_strip();
        cb_wait_front(cb_values, kStripTiles);
        quantise::send_largest(cb_values, 0, cb_largest);
        cb_pop_front(cb_values, kStripTiles);
    }
    cb_wait_front(cb_scale, 1);
    for (uint32_t strip = 0; strip < num_strips; ++strip) {
        tile_strip();
        cb_wait_front(cb_values, kStripTiles);
        quantise::send_scaled_rows(cb_values, 0, cb_scale, form, cb_out);
        cb_pop_front(cb_values, kStripTiles);
    }
    cb_pop_front(cb_scale, 1);
}

void scale_block(uint32_t strips, quantise::Form form) {
    for (uint32_t strip = 0; strip < strips; ++strip) {
        tile_strip();
    }
    cb_wait_front(cb_values, strips * kStripTiles);
    for (uint32_t strip = 0; strip < strips; ++strip) {
        quantise::send_largest(cb_values, strip * kStripTiles, cb_largest);
    }
    cb_wait_front(cb_scale, 1);
    for (uint32_t strip = 0; strip < strips; ++strip) {
        quantise::send_scaled_rows(cb_values, strip * kStripTiles, cb_scale, form, cb_out);
    }
    cb_pop_front(cb_scale, 1);
    cb_pop_front(cb_values, strips * kStripTiles);
}

}  // namespace

void kernel_main() {
    const uint32_t num_blocks = get_arg_val<uint32_t>(0);
    const uint32_t strips = get_compile_time_arg_val(0);  // of a block
    const auto form = static_cast<quantise::Form>(get_compile_time_arg_val(1));
    const bool is_tensor = get_compile_time_arg_val(2) != 0;

    unary_op_init_common(cb_rows, cb_values);
    if (is_tensor) {
        scale_tensor(num_blocks * strips, form);
        return;
    }
    for (uint32_t block = 0; block < num_blocks; ++block) {
        scale_block(strips, form);
    }
}
