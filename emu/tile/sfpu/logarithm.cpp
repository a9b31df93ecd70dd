// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/sfpu/logarithm.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/sfpu/exp_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

/// x = 2^e · m with m in [√½, √2); log1p(m − 1) = f − f²/2 + f³·P(f), error of P 2.9e-8.
HWY_INLINE Vec log(Vec x) {
    const auto is_denormal = hn::Lt(x, constant(0x1p-126F));
    const Vec normal = hn::IfThenElse(is_denormal, hn::Mul(x, constant(0x1p+24F)), x);
    // Adding the distance from √½ to 1 makes the exponent step at √½ instead of at 1.
    const WordVec shifted = hn::Add(bits_of(normal), word(0x3F800000U - 0x3F3504F3U));
    const IntVec exponent =
        hn::Sub(hn::BitCast(Ints(), hn::ShiftRight<23>(shifted)), hn::Set(Ints(), 127));
    const WordVec mantissa = hn::Add(hn::And(shifted, word(0x7FFFFFU)), word(0x3F3504F3U));
    const Vec f = hn::Sub(float_of(mantissa), constant(1.0F));
    const Vec moved = hn::IfThenElse(is_denormal, constant(-24.0F), constant(0.0F));
    const Vec e = hn::Add(hn::ConvertTo(Floats(), exponent), moved);
    const Vec bend = polynomial(f, 0.0697161147145F, -0.114797338466F, 0.116854199235F,
                                -0.124256873315F, 0.142490576457F, -0.166678023195F,
                                0.200007157489F, -0.24999996958F, 0.3333333118F);
    const Vec square = hn::Mul(f, f);
    const Vec low = fma(hn::Mul(square, f), bend, hn::Mul(e, constant(0x1.2fefa4p-17F)));
    const Vec sum = hn::Add(f, fma(square, constant(-0.5F), low));
    const Vec value = fma(e, constant(0x1.62e3p-1F), sum);
    const Vec zero = constant(0.0F);
    const Vec infinity = float_of(word(0x7F800000U));
    const Vec special =
        hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity),
                       hn::IfThenElse(hn::Eq(x, infinity), x, float_of(word(0x7FC00000U))));
    const auto is_ordinary = hn::And(hn::Gt(x, zero), hn::Lt(x, infinity));
    return hn::IfThenElse(is_ordinary, value, special);
}

/// log(0) = -inf, log(x < 0) = NaN.
void log_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return log(x); });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

TESSERA_SFPU_EXPORT(log)

namespace sfpu {

void log_with_base(float* tile, float factor) {
    log(tile);
    mul_scalar(tile, factor);
}

}  // namespace sfpu

}  // namespace tessera::tile
#endif
