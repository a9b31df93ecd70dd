// SPDX-License-Identifier: Apache-2.0
// Applies the activation to gate (DST 0) and up (DST 1) in the vector unit, in full precision.

namespace {

constexpr uint32_t cb_gate = 0;
constexpr uint32_t cb_up = 1;
constexpr uint32_t cb_units = 2;
constexpr uint32_t cb_out = 16;

enum Function : uint32_t { kSilu, kGelu, kSwigluOai, kSiluNoMul, kGeluNoMul, kRelu2NoMul };

struct Limits {
    uint32_t alpha;
    uint32_t most;
    uint32_t least;
};

void silu() {
    silu_tile_init();
    silu_tile(0);
}

void gelu() {
    gelu_tile_init<false>();
    gelu_tile<false>(0);
}

void multiply(uint32_t a, uint32_t b, uint32_t out) {
    mul_binary_tile_init();
    mul_binary_tile(a, b, out);
}

void fill(uint32_t dst, uint32_t bits) {
    fill_tile_init();
    fill_tile_bitcast(dst, bits);
}

// (up + 1) · gate · sigmoid(α · gate), both held to the limit; DST 2 is room for a copy.
void swigluoai(const Limits& limits) {
    fill(2, limits.most);
    binary_min_tile_init();
    binary_min_tile(0, 2, 0);
    binary_min_tile(1, 2, 1);
    fill(2, limits.least);
    binary_max_tile_init();
    binary_max_tile(1, 2, 1);
    binop_with_scalar_tile_init();
    add_unary_tile(1, 0x3F800000);
    multiply(0, 1, 1);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, limits.alpha);
    sigmoid_tile_init();
    sigmoid_tile(0);
    multiply(0, 1, 0);
}

void apply(uint32_t function, const Limits& limits) {
    switch (function) {
        case kSilu:
            silu();
            return multiply(0, 1, 0);
        case kGelu:
            gelu();
            return multiply(0, 1, 0);
        case kSwigluOai:
            return swigluoai(limits);
        case kSiluNoMul:
            return silu();
        case kGeluNoMul:
            return gelu();
        case kRelu2NoMul:
            relu_tile_init();
            relu_tile(0);
            square_tile_init();
            return square_tile(0);
    }
}

}  // namespace

void kernel_main() {
    const uint32_t function = get_compile_time_arg_val(0);
    const uint32_t unit_tiles = get_compile_time_arg_val(1);
    const Limits limits{get_compile_time_arg_val(2), get_compile_time_arg_val(3),
                        get_compile_time_arg_val(4)};
    const bool is_gated = function <= kSwigluOai;

    init_sfpu(cb_gate, cb_out);
    cb_wait_front(cb_units, 1);
    const uint32_t num_units = read_tile_value(cb_units, 0, 0);
    cb_pop_front(cb_units, 1);
    for (uint32_t unit = 0; unit < num_units; ++unit) {
        cb_wait_front(cb_gate, unit_tiles);
        if (is_gated) {
            cb_wait_front(cb_up, unit_tiles);
        }
        cb_reserve_back(cb_out, unit_tiles);
        for (uint32_t tile = 0; tile < unit_tiles; ++tile) {
            tile_regs_acquire();
            copy_tile(cb_gate, tile, 0);
            if (is_gated) {
                copy_tile(cb_up, tile, 1);
            }
            apply(function, limits);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile(0, cb_out);
            tile_regs_release();
        }
        cb_push_back(cb_out, unit_tiles);
        cb_pop_front(cb_gate, unit_tiles);
        if (is_gated) {
            cb_pop_front(cb_up, unit_tiles);
        }
    }
}
