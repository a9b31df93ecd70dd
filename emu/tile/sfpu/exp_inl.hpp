// SPDX-License-Identifier: Apache-2.0
// e^x on vectors, shared by the functions that use it; compiled once per SIMD target.
#if defined(TESSERA_EMU_TILE_SFPU_EXP_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_EMU_TILE_SFPU_EXP_INL
#undef TESSERA_EMU_TILE_SFPU_EXP_INL
#else
#define TESSERA_EMU_TILE_SFPU_EXP_INL
#endif

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {

/// 2^n for integers −126 ≤ n ≤ 127.
HWY_INLINE Vec power_of_two(IntVec n) {
    return hn::BitCast(Floats(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(Ints(), 127))));
}

/// Horner's rule, coefficients from the highest power down.
template <class... Coefficients>
HWY_INLINE Vec polynomial(Vec x, float highest, Coefficients... lower) {
    Vec sum = constant(highest);
    ((sum = fma(sum, x, constant(lower))), ...);
    return sum;
}

/// Returns e^(x + tail) for |tail| far below one unit in the last place of x, within 1.1 ULP.
/// Denormal results are rounded one more time. Overflow gives infinity, NaN stays NaN.
///
/// x = n·ln2 + r with |r| ≤ 0.347; the Taylor sum to r⁷ leaves 2^-27.
HWY_INLINE Vec exp(Vec x, Vec tail) {
    // Beyond these bounds the result is 0 or infinity in any case.
    const Vec held = hn::Min(hn::Max(x, constant(-104.0F)), constant(89.0F));
    const Vec n = hn::Round(hn::Mul(held, constant(0x1.715476p+0F)));
    const Vec high = fma(n, constant(-0x1.62e3p-1F), held);  // ln2 in two parts: exact product
    const Vec r = hn::Add(fma(n, constant(-0x1.2fefa4p-17F), high), tail);
    const Vec sum = polynomial(r, 1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F);
    const Vec value = hn::Add(fma(hn::Mul(r, r), sum, r), constant(1.0F));
    // Two factors, because 2^n alone can be out of range although the product is not.
    const IntVec whole = hn::ConvertTo(Ints(), n);
    const IntVec half = hn::ShiftRight<1>(whole);
    const Vec scaled =
        hn::Mul(hn::Mul(value, power_of_two(half)), power_of_two(hn::Sub(whole, half)));
    return hn::IfThenElse(hn::IsNaN(x), x, scaled);
}
HWY_INLINE Vec exp(Vec x) {
    return exp(x, constant(0.0F));
}

/// Returns 1/(1 + e^-x) from e^-|x|: no overflow, and relative accuracy for small results.
HWY_INLINE Vec sigmoid_from(Vec x, Vec exp_of_minus_magnitude) {
    const Vec one = constant(1.0F);
    const Vec t = exp_of_minus_magnitude;
    const auto is_negative = hn::Lt(x, constant(0.0F));
    return hn::Div(hn::IfThenElse(is_negative, t, one), hn::Add(one, t));
}

}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
