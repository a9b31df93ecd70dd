// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/sfpu/gelu.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/sfpu/exp_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

/// Returns Q(z) = 1 − Φ(z) for z ≥ 0, with relative accuracy far into the tail: e^(-z²/2) times
/// Mills' ratio, whose product with z + 3 is a polynomial in (z − 3)/(z + 3), error 1.5e-9.
HWY_INLINE Vec normal_tail(Vec z) {
    const Vec three = constant(3.0F);
    const Vec u = hn::Div(hn::Sub(z, three), hn::Add(z, three));
    const Vec ratio =
        polynomial(u, 5.54154213096e-5F, 0.000133216337751F, -0.000244630718118F,
                   -0.00103433265755F, 0.00102413969902F, 0.00696985799739F, -0.0104622904364F,
                   -0.0472627520734F, 0.230017677146F, -0.509331989257F, 0.729083690705F);
    const Vec half = hn::Mul(z, constant(-0.5F));
    const Vec exponent = hn::Mul(z, half);
    const Vec lost = fma(z, half, hn::Neg(exponent));  // rounding error of z²
    return hn::Div(hn::Mul(exp(exponent, lost), ratio), hn::Add(z, three));
}

HWY_INLINE Vec gelu(Vec x) {
    // Q(15) is below the smallest float; clamping z to 15 keeps infinities out of the products.
    const Vec z = hn::Min(hn::Abs(x), constant(15.0F));
    const Vec tail = normal_tail(z);
    const auto is_negative = hn::Lt(x, constant(0.0F));
    const Vec share = hn::IfThenElse(is_negative, tail, hn::Sub(constant(1.0F), tail));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Mul(x, share));
}

/// Returns x·sigmoid(y) with y = 2·√(2/π)·(x + 0.044715·x³). e^y needs y to more bits than a float
/// has, so the rounding errors of y are added.
HWY_INLINE Vec gelu_tanh(Vec x) {
    const Vec cubic = constant(0x1.2444f2p-4F);  // 2·√(2/π)·0.044715
    const Vec cubic_low = constant(0x1.49b16ap-29F);
    const Vec linear = constant(0x1.988454p+0F);  // 2·√(2/π)
    const Vec linear_low = constant(-0x1.857936p-25F);
    const Vec z = hn::Min(hn::Abs(x), constant(16.0F));
    const Vec square = hn::Mul(z, z);
    const Vec bend = hn::Mul(cubic, square);
    const Vec bend_low = fma(cubic, square, hn::Neg(bend));
    const Vec slope = hn::Add(linear, bend);
    const Vec kept = hn::Sub(slope, linear);
    const Vec slope_low =
        hn::Add(hn::Add(hn::Sub(linear, hn::Sub(slope, kept)), hn::Sub(bend, kept)),
                hn::Add(fma(cubic_low, square, bend_low), linear_low));
    const Vec square_low = fma(z, z, hn::Neg(square));
    const Vec y = hn::Mul(z, slope);
    const Vec y_low = fma(z, fma(cubic, square_low, slope_low), fma(z, slope, hn::Neg(y)));
    const Vec falling = exp(hn::Neg(y), hn::Neg(y_low));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Mul(x, sigmoid_from(x, falling)));
}

/// The exact (erf) form.
void gelu_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return gelu(x); });
}

void gelu_tanh_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return gelu_tanh(x); });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

TESSERA_SFPU_EXPORT(gelu)
TESSERA_SFPU_EXPORT(gelu_tanh)

}  // namespace tessera::tile
#endif
