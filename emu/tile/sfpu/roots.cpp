// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/sfpu/roots.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
/// Patterns from 2^-63 on, below 2^65: no term of a correction by fma leaves the normal range.
constexpr std::uint32_t kFirstPattern = 64U << 23;
constexpr std::uint32_t kNumPatterns = 128U << 23;

/// Returns whether the corrected reciprocal of every lane equals a rounded division. A significand
/// of all ones would be one unit too low (Markstein 1990; every significand is tested).
HWY_INLINE bool has_exact_reciprocal(Vec x) {
    const __m512i magnitude = hn::And(bits_of(x), word(0x7FFFFFFFU)).raw;
    const __m512i next = _mm512_sub_epi32(magnitude, word(kFirstPattern - 1).raw);
    const __mmask16 is_inside = _mm512_cmplt_epu32_mask(next, word(kNumPatterns).raw);
    return _mm512_mask_test_epi32_mask(is_inside, next, word(0x7FFFFFU).raw) == 0xFFFF;
}

HWY_INLINE bool has_exact_root(Vec x) {
    const __m512i place = _mm512_sub_epi32(bits_of(x).raw, word(kFirstPattern).raw);
    return _mm512_cmplt_epu32_mask(place, word(kNumPatterns).raw) == 0xFFFF;
}

/// Returns 1/x in a third of the time of a division: a 14-bit estimate, refined twice.
HWY_INLINE Vec reciprocal(Vec x) {
    const Vec one = constant(1.0F);
    if (!has_exact_reciprocal(x)) {
        return hn::Div(one, x);
    }
    const Vec estimate{_mm512_rcp14_ps(x.raw)};
    const Vec nearer = fma(hn::NegMulAdd(x, estimate, one), estimate, estimate);
    return fma(hn::NegMulAdd(x, nearer, one), nearer, nearer);
}

/// Returns √x from an estimate of 1/√x: the root and half its reciprocal are refined together.
HWY_INLINE Vec root(Vec x) {
    if (!has_exact_root(x)) {
        return hn::Sqrt(x);
    }
    const Vec half = constant(0.5F);
    const Vec estimate{_mm512_rsqrt14_ps(x.raw)};
    const Vec first = hn::Mul(x, estimate);
    const Vec first_half = hn::Mul(estimate, half);
    const Vec error = hn::NegMulAdd(first_half, first, half);
    const Vec nearer = fma(first, error, first);
    const Vec nearer_half = fma(first_half, error, first_half);
    return fma(nearer_half, hn::NegMulAdd(nearer, nearer, x), nearer);
}
#else
HWY_INLINE Vec reciprocal(Vec x) {
    return hn::Div(constant(1.0F), x);
}
HWY_INLINE Vec root(Vec x) {
    return hn::Sqrt(x);
}
#endif

/// Correctly rounded; 1/±0 = ±inf.
void recip_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return reciprocal(x); });
}

/// Correctly rounded; NaN below 0.
void sqrt_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return root(x); });
}

/// Each of the two steps rounded.
void rsqrt_tile(float* tile) {
    map_tile(tile, tile, [](Vec x) HWY_ATTR { return reciprocal(root(x)); });
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

TESSERA_SFPU_EXPORT(recip)
TESSERA_SFPU_EXPORT(sqrt)
TESSERA_SFPU_EXPORT(rsqrt)

}  // namespace tessera::tile
#endif
