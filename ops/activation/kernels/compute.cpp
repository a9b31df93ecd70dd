// SPDX-License-Identifier: Apache-2.0
// Activates strips of 32 rows and 128 columns in fp32: results in DST tiles 0 and 1, up in 2, what
// lies between in 3.
#include <bit>

namespace {

constexpr uint32_t cb_gate_rows = 0;
constexpr uint32_t cb_up_rows = 1;
constexpr uint32_t cb_gate = 2;
constexpr uint32_t cb_up = 3;
constexpr uint32_t cb_out = 16;
constexpr uint32_t kStripTiles = 4;
constexpr uint32_t kUp = 2;
constexpr uint32_t kSpare = 3;
enum Function : uint32_t { kSilu, kGelu, kGeluTanh, kRelu2, kSigmoid, kSwigluOai };

constexpr uint32_t bits(float value) {
    return std::bit_cast<uint32_t>(value);
}

void tile_strip(uint32_t cb_rows, uint32_t cb_tiles) {
    cb_wait_front(cb_rows, kStripTiles);
    cb_reserve_back(cb_tiles, kStripTiles);
    tilize_init(cb_rows, kStripTiles, cb_tiles);
    tilize_block(cb_rows, kStripTiles, cb_tiles);
    tilize_uninit(cb_rows, cb_tiles);
    cb_push_back(cb_tiles, kStripTiles);
    cb_pop_front(cb_rows, kStripTiles);
    cb_wait_front(cb_tiles, kStripTiles);
}

// DST[tile] *= sigmoid(DST[kSpare]).
void times_sigmoid_of_spare(uint32_t tile) {
    sigmoid_tile_init();
    sigmoid_tile(kSpare);
    mul_binary_tile_init();
    mul_binary_tile(tile, kSpare, tile);
}

// x/2 · (1 + tanh(u)) = x · sigmoid(2u), with u = √(2/π) · (x + 0.044715 x³).
void gelu_tanh(uint32_t tile) {
    copy_dest_values_init();
    copy_dest_values(tile, kSpare);
    square_tile_init();
    square_tile(kSpare);
    binop_with_scalar_tile_init();
    mul_unary_tile(kSpare, bits(0.044715F));
    add_unary_tile(kSpare, bits(1.0F));
    mul_binary_tile_init();
    mul_binary_tile(kSpare, tile, kSpare);
    mul_unary_tile(kSpare, bits(1.5957691216F));
    times_sigmoid_of_spare(tile);
}

void clamp_up() {
    fill_tile_init();
    fill_tile(kSpare, 7.0F);
    binary_min_tile_init();
    binary_min_tile(kUp, kSpare, kUp);
    fill_tile(kSpare, -7.0F);
    binary_max_tile_init();
    binary_max_tile(kUp, kSpare, kUp);
}

void swigluoai(uint32_t tile) {
    clamp_up();
    fill_tile(kSpare, 7.0F);
    binary_min_tile(tile, kSpare, tile);
    copy_dest_values_init();
    copy_dest_values(tile, kSpare);
    binop_with_scalar_tile_init();
    mul_unary_tile(kSpare, bits(1.702F));
    add_unary_tile(kUp, bits(1.0F));
    times_sigmoid_of_spare(tile);
}

void activate(uint32_t function, uint32_t tile) {
    switch (function) {
        case kSilu:
            silu_tile_init();
            return silu_tile(tile);
        case kGelu:
            gelu_tile_init<false>();
            return gelu_tile<false>(tile);
        case kGeluTanh:
            return gelu_tanh(tile);
        case kRelu2:
            relu_tile_init();
            relu_tile(tile);
            square_tile_init();
            return square_tile(tile);
        case kSigmoid:
            sigmoid_tile_init();
            return sigmoid_tile(tile);
        default:
            return swigluoai(tile);
    }
}

void copy_to(uint32_t cb, uint32_t tile, uint32_t dst) {
    copy_tile_to_dst_init_short_with_dt(cb, cb);
    copy_tile(cb, tile, dst);
}

}  // namespace

void kernel_main() {
    const uint32_t num_strips = get_arg_val<uint32_t>(0);
    const uint32_t function = get_compile_time_arg_val(0);
    const bool has_gate = get_compile_time_arg_val(1) != 0;

    unary_op_init_common(cb_gate_rows, cb_gate);
    for (uint32_t strip = 0; strip < num_strips; ++strip) {
        tile_strip(cb_gate_rows, cb_gate);
        if (has_gate) {
            tile_strip(cb_up_rows, cb_up);
        }
        cb_reserve_back(cb_out, kStripTiles);
        pack_reconfig_data_format(cb_out);
        pack_untilize_dest_init<2, 4>(cb_out);
        for (uint32_t half = 0; half < 2; ++half) {
            tile_regs_acquire();
            for (uint32_t tile = 0; tile < 2; ++tile) {
                copy_to(cb_gate, half * 2 + tile, tile);
                if (has_gate) {
                    copy_to(cb_up, half * 2 + tile, kUp);
                }
                activate(function, tile);
                if (has_gate) {
                    mul_binary_tile_init();
                    mul_binary_tile(tile, kUp, tile);
                }
            }
            tile_regs_commit();
            tile_regs_wait();
            pack_untilize_dest<2, 4>(cb_out, 1, half);
            tile_regs_release();
        }
        pack_untilize_uninit(cb_out);
        cb_push_back(cb_out, kStripTiles);
        cb_pop_front(cb_gate, kStripTiles);
        if (has_gate) {
            cb_pop_front(cb_up, kStripTiles);
        }
    }
}
