// SPDX-License-Identifier: Apache-2.0
// Activates gates (DST 0) and multiplies them with ups (DST 1) in the vector unit, in fp32.
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::activation;

constexpr uint32_t cb_gate = index_of(Cb::Gate);
constexpr uint32_t cb_up = index_of(Cb::Up);
constexpr uint32_t cb_units = index_of(Cb::Units);
constexpr uint32_t cb_out = index_of(Cb::Output);

constexpr uint32_t kOne = 0x3F800000;
// The tile after gate and up; 32-bit DST has four in a half.
constexpr uint32_t kSpare = 2;  // tile of DST

struct Limits {
    uint32_t alpha;
    uint32_t most;
    uint32_t least;
};

void multiply(uint32_t a, uint32_t b, uint32_t out) {
    // Each init replaces the one before: the vector unit is set up for one function at a time.
    mul_binary_tile_init();
    mul_binary_tile(a, b, out);
}

void fill(uint32_t dst, uint32_t bits) {
    fill_tile_init();
    fill_tile_bitcast(dst, bits);
}

void sigmoid(uint32_t dst) {
    sigmoid_tile_init();
    sigmoid_tile(dst);
}

void copy_to_spare() {
    copy_dest_values_init();
    copy_dest_values(0, kSpare);
}

// x/2 · (1 + tanh(u)) = x · sigmoid(2u), with u = √(2/π) · (x + 0.044715 x³). The form with a
// sigmoid is used: tanh would need another function, while sigmoid is used by silu already.
void gelu_tanh() {
    copy_to_spare();
    square_tile_init();
    square_tile(kSpare);
    binop_with_scalar_tile_init();
    mul_unary_tile(kSpare, 0x3D372713);  // 0.044715
    add_unary_tile(kSpare, kOne);
    multiply(kSpare, 0, kSpare);
    binop_with_scalar_tile_init();
    mul_unary_tile(kSpare, 0x3FCC422A);  // 2 · √(2/π)
    sigmoid(kSpare);
    multiply(0, kSpare, 0);
}

// gate · sigmoid(α · gate) and up + 1, both held to the limit before.
void swigluoai(const Limits& limits) {
    // The gate is clamped from above only, up on both sides, as in vLLM's swigluoai.
    fill(kSpare, limits.most);
    binary_min_tile_init();
    binary_min_tile(0, kSpare, 0);
    binary_min_tile(1, kSpare, 1);
    fill(kSpare, limits.least);
    binary_max_tile_init();
    binary_max_tile(1, kSpare, 1);
    binop_with_scalar_tile_init();
    add_unary_tile(1, kOne);
    copy_to_spare();
    binop_with_scalar_tile_init();
    mul_unary_tile(kSpare, limits.alpha);
    sigmoid(kSpare);
    multiply(0, kSpare, 0);
}

void activate(ActivationFunction function, const Limits& limits) {
    switch (function) {
        case ActivationFunction::Silu:
            silu_tile_init();
            return silu_tile(0);
        case ActivationFunction::Gelu:
            // `false` is the exact form; the approximate one differs visibly from the reference.
            gelu_tile_init<false>();
            return gelu_tile<false>(0);
        case ActivationFunction::GeluTanh:
            return gelu_tanh();
        case ActivationFunction::Relu2:
            relu_tile_init();
            relu_tile(0);
            square_tile_init();
            return square_tile(0);
        case ActivationFunction::Sigmoid:
            return sigmoid(0);
        default:
            return swigluoai(limits);
    }
}

// Activates a tile of gates and multiplies it with its ups, if the op has gates.
void activate_tile(uint32_t tile, ActivationFunction function, const Limits& limits,
                   bool has_gate) {
    tile_regs_acquire();
    copy_tile(cb_gate, tile, 0);
    if (has_gate) {
        copy_tile(cb_up, tile, 1);
    }
    activate(function, limits);
    if (has_gate) {
        multiply(0, 1, 0);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
}

}  // namespace

void kernel_main() {
    const auto args = ComputeArgs::read();
    const auto function = static_cast<ActivationFunction>(args.function);
    const uint32_t unit_tiles = args.unit_tiles;
    const Limits limits{
        .alpha = args.alpha_bits, .most = args.limit_bits, .least = args.negative_limit_bits};
    const bool has_gate = args.has_gate != 0;

    init_sfpu(cb_gate, cb_out);
    // The number depends on counts in device memory, which only the reader can read.
    cb_wait_front(cb_units, 1);
    const uint32_t num_units = read_tile_value(cb_units, 0, 0);
    cb_pop_front(cb_units, 1);
    for (uint32_t unit = 0; unit < num_units; ++unit) {
        // Whole units, since reader and writer count by units.
        cb_wait_front(cb_gate, unit_tiles);
        if (has_gate) {
            cb_wait_front(cb_up, unit_tiles);
        }
        cb_reserve_back(cb_out, unit_tiles);
        // A tile at a time: DST holds gate, up and the spare tile of it.
        for (uint32_t tile = 0; tile < unit_tiles; ++tile) {
            activate_tile(tile, function, limits, has_gate);
        }
        cb_push_back(cb_out, unit_tiles);
        cb_pop_front(cb_gate, unit_tiles);
        if (has_gate) {
            cb_pop_front(cb_up, unit_tiles);
        }
    }
}
