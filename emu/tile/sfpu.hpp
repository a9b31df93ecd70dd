// SPDX-License-Identifier: Apache-2.0
// The vector unit's functions: each works in place on one DST tile, in fp32.
// Error    Results on every finite bf16 input, rounded to bf16, are those of the exact function:
//          0.5 ULP of bf16, tested on all of them (tests/unit/emu/tile/sfpu). The caller rounds for
//          a 16-bit DST.
// Denormals are kept (the chip flushes them). Same bytes on every SIMD target.
#pragma once

#include <cstdint>

#include "tessera/data_format.hpp"

namespace tessera::tile::sfpu {

// exponential.cpp
/// e^x; overflow to infinity, underflow through denormals to 0.
void exp(float* tile);
/// 1/(1 + e^-x).
void sigmoid(float* tile);
/// x/(1 + e^-x); silu(-inf) is NaN, as in the formula.
void silu(float* tile);
void tanh(float* tile);

// gelu.cpp
/// x·Φ(x) with the normal distribution function: the exact (erf) form.
void gelu(float* tile);
/// x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
void gelu_tanh(float* tile);

// logarithm.cpp
/// Natural logarithm; log(0) = -inf, log(x < 0) = NaN.
void log(float* tile);

// roots.cpp
/// 1/x, correctly rounded; 1/±0 = ±inf.
void recip(float* tile);
/// √x, correctly rounded; NaN below 0.
void sqrt(float* tile);
/// 1/√x, each step rounded.
void rsqrt(float* tile);

// rectifiers.cpp
/// max(x, 0); NaN becomes 0.
void relu(float* tile);
/// min(relu(x), upper).
void relu_max(float* tile, float upper);
/// max(x, lower).
void relu_min(float* tile, float lower);
/// x for x ≥ 0, slope·x below.
void leaky_relu(float* tile, float slope);

// elementary.cpp
void abs(float* tile);
void negative(float* tile);
void square(float* tile);
/// -1, 0 or 1.
void sign(float* tile);
/// x^exponent by repeated squaring, each product rounded; x^0 = 1.
void power(float* tile, std::uint32_t exponent);
void fill(float* tile, float value);

// comparisons.cpp
/// 1 where the comparison with 0 holds, else 0 (NaN: only nez holds).
void eqz(float* tile);
void nez(float* tile);
void ltz(float* tile);
void gtz(float* tile);
void lez(float* tile);
void gez(float* tile);
/// out = condition ≠ 0 ? on_true : on_false; the tiles may coincide.
void where(const float* condition, const float* on_true, const float* on_false, float* out);
/// 0 where `selector` is 0, else unchanged.
void mask(float* tile, const float* selector);

// typecast.cpp
/// Converts values between what the two formats hold in DST: floats, or integers as bit patterns.
/// To an integer: truncated toward zero and held in range, NaN 0. To bf16: rounded to nearest even.
/// Errors   InternalError for block and fp8 targets: packing does those.
void typecast(DataFormat from, DataFormat to, float* tile);

}  // namespace tessera::tile::sfpu
