// SPDX-License-Identifier: Apache-2.0
// SFPU functions: each works in place on one DST tile, in fp32.
// Error    Results on every finite bf16 input, rounded to bf16, are those of the exact function:
//          0.5 ULP of bf16, tested on all of them (tests/unit/emu/tile/sfpu). The caller rounds for
//          a 16-bit DST.
// Denormals are kept (the chip flushes them). Same bytes on every SIMD target.
#pragma once

#include <cstdint>

#include "tessera/data_format.hpp"

namespace tessera::tile::sfpu {

// Named as in sfpu_table.inc: void abs(float* tile).
#define SFPU_ROUTINE_TILE(routine) void routine(float* tile);
#define SFPU_ROUTINE_FACES(routine) void routine(float* tile);
#define SFPU_ROUTINE_MODE(routine) void routine(float* tile);
#define SFPU_ROUTINE_SCALED(routine) void routine(float* tile, float factor);
#define SFPU_ROUTINE_WRITTEN(routine)
#define SFPU_UNARY(call, Word, shape, options, routine, ...) SFPU_ROUTINE_##shape(routine)
#include "tessera/kernel/compute/sfpu_table.inc"
#undef SFPU_ROUTINE_TILE
#undef SFPU_ROUTINE_FACES
#undef SFPU_ROUTINE_MODE
#undef SFPU_ROUTINE_SCALED
#undef SFPU_ROUTINE_WRITTEN

/// e^x; overflow to infinity, underflow through denormals to 0.
void exp(float* tile);
/// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
void gelu_tanh(float* tile);
/// factor · ln x, the logarithm rounded.
void log_with_base(float* tile, float factor);

/// min(relu(x), upper).
void relu_max(float* tile, float upper);
/// max(x, lower).
void relu_min(float* tile, float lower);
/// x for x ≥ 0, slope·x below.
void leaky_relu(float* tile, float slope);

void add_scalar(float* tile, float scalar);
void sub_scalar(float* tile, float scalar);
void mul_scalar(float* tile, float scalar);
/// scalar − x.
void rsub_scalar(float* tile, float scalar);
/// x^exponent by repeated squaring, each product rounded; x^0 = 1.
void power(float* tile, std::uint32_t exponent);
void fill(float* tile, float value);

/// out = condition ≠ 0 ? on_true : on_false; the tiles may coincide.
void where(const float* condition, const float* on_true, const float* on_false, float* out);
/// 0 where `selector` is 0, else unchanged.
void mask(float* tile, const float* selector);

/// Converts values between two formats in DST: floats, or integers as bit patterns. To an integer:
/// truncated toward zero and clamped to the range, NaN gives 0. To bf16: rounded to nearest even.
/// Errors   InternalError for block and fp8 targets: packing converts to those.
void typecast(DataFormat from, DataFormat to, float* tile);

}  // namespace tessera::tile::sfpu
