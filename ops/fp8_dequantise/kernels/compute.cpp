// SPDX-License-Identifier: Apache-2.0
// Tiles strips of codes and multiplies each row by its scale in fp32.
#include "../../shared/fp8_blocks/kernels/quantise.hpp"

void kernel_main() {
    constexpr uint32_t cb_rows = 0;
    constexpr uint32_t cb_codes = 5;
    constexpr uint32_t cb_scale = 7;
    constexpr uint32_t cb_out = 16;
    constexpr uint32_t kTiles = quantise::kStripTiles;
    const uint32_t num_strips = get_arg_val<uint32_t>(0);

    unary_op_init_common(cb_rows, cb_codes);
    for (uint32_t strip = 0; strip < num_strips; ++strip) {
        cb_wait_front(cb_rows, kTiles);
        cb_reserve_back(cb_codes, kTiles);
        tilize_init(cb_rows, kTiles, cb_codes);
        tilize_block(cb_rows, kTiles, cb_codes);
        tilize_uninit(cb_rows, cb_codes);
        cb_push_back(cb_codes, kTiles);
        cb_pop_front(cb_rows, kTiles);

        cb_wait_front(cb_codes, kTiles);
        cb_wait_front(cb_scale, 1);
        quantise::send_scaled_rows(cb_codes, 0, cb_scale, quantise::Form::Multiply, cb_out);
        cb_pop_front(cb_scale, 1);
        cb_pop_front(cb_codes, kTiles);
    }
}
