// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/sfpu/exponential.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/sfpu/exp_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

HWY_INLINE Vec exp_of_minus_magnitude(Vec x) {
    return exp(hn::Neg(hn::Abs(x)));
}

void exp_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return exp(x); });
}

/// Returns e^(x·ln 2). The product needs more bits than a float has, so the rounding errors of the
/// product and of ln 2 are added to it. Integers x give exact powers.
HWY_INLINE Vec exp2(Vec x) {
    // Beyond these bounds the result is 0 or infinity in any case; infinity·0 would be NaN.
    const Vec held = hn::Min(hn::Max(x, constant(-160.0F)), constant(160.0F));
    const Vec ln2 = constant(0x1.62e43p-1F);
    const Vec exponent = hn::Mul(held, ln2);
    const Vec rounding = fma(held, ln2, hn::Neg(exponent));
    const Vec tail = fma(held, constant(-0x1.05c61p-29F), rounding);
    return hn::IfThenElse(hn::IsNaN(x), x, exp(exponent, tail));
}

void exp2_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return exp2(x); });
}

void sigmoid_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return sigmoid_from(x, exp_of_minus_magnitude(x)); });
}

/// silu(-inf) is NaN, as in the formula.
void silu_tile(float* tile) {
    map_tile(tile, tile,
             [](Vec x) HWY_ATTR { return hn::Mul(x, sigmoid_from(x, exp_of_minus_magnitude(x))); });
}

/// Odd polynomial near 0; otherwise 1 − 2/(e^2|x| + 1), where the subtraction is exact enough.
HWY_INLINE Vec tanh(Vec x) {
    const Vec magnitude = hn::Abs(x);
    const Vec square = hn::Mul(x, x);
    // Minimax polynomial over x² ≤ 0.41; error 2.1e-9.
    const Vec bend = polynomial(square, 0.00224503118559F, -0.00830079484173F, 0.0217554117813F,
                                -0.0539575579214F, 0.133332961879F, -0.333333331223F);
    const Vec near = fma(hn::Mul(square, x), bend, x);
    const Vec one = constant(1.0F);
    const Vec growth = hn::Add(exp(hn::Add(magnitude, magnitude)), one);
    const Vec far = hn::Sub(one, hn::Div(constant(2.0F), growth));
    return hn::IfThenElse(hn::Lt(magnitude, constant(0.625F)), near, hn::CopySign(far, x));
}

void tanh_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return tanh(x); });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

TESSERA_SFPU_EXPORT(exp)
TESSERA_SFPU_EXPORT(exp2)
TESSERA_SFPU_EXPORT(sigmoid)
TESSERA_SFPU_EXPORT(silu)
TESSERA_SFPU_EXPORT(tanh)

namespace sfpu {

/// The product is rounded.
void scaled_exp(float* tile, float factor) {
    if (factor != 1.0F) {  // most calls have no scale
        mul_scalar(tile, factor);
    }
    exp(tile);
}

}  // namespace sfpu

}  // namespace tessera::tile
#endif
