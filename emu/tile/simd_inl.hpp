// SPDX-License-Identifier: Apache-2.0
// Vector words shared by the tile engine's sources; compiled once per SIMD target.
// A source includes it after hwy/foreach_target.h. Not for headers of the engine's callers.
#if defined(TESSERA_EMU_TILE_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_EMU_TILE_SIMD_INL
#undef TESSERA_EMU_TILE_SIMD_INL
#else
#define TESSERA_EMU_TILE_SIMD_INL
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "emu/tile/fidelity.hpp"
#include "tessera/data_format.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// At most one face row (16 floats), so that a vector never leaves a face row.
using Floats = hn::CappedTag<float, kFaceColumns>;
using Words = hn::RebindToUnsigned<Floats>;
using Ints = hn::RebindToSigned<Floats>;
using Halves = hn::Rebind<std::uint16_t, Floats>;
using Octets = hn::Rebind<std::uint8_t, Floats>;
using Vec = hn::Vec<Floats>;
using WordVec = hn::Vec<Words>;
using IntVec = hn::Vec<Ints>;
using FloatMask = hn::Mask<Floats>;

inline constexpr std::size_t kLanes = hn::MaxLanes(Floats());

/// a · b + c with one rounding on every target, so that all targets give the same bytes.
HWY_INLINE Vec fma(Vec a, Vec b, Vec c) {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(Floats(), std::fma(hn::GetLane(a), hn::GetLane(b), hn::GetLane(c)));
#else
    return hn::MulAdd(a, b, c);
#endif
}

HWY_INLINE Vec constant(float value) {
    return hn::Set(Floats(), value);
}
HWY_INLINE WordVec word(std::uint32_t value) {
    return hn::Set(Words(), value);
}
HWY_INLINE Vec load(const float* from) {
    return hn::LoadU(Floats(), from);
}
HWY_INLINE void store(Vec value, float* to) {
    hn::StoreU(value, Floats(), to);
}
HWY_INLINE WordVec bits_of(Vec value) {
    return hn::BitCast(Words(), value);
}
HWY_INLINE Vec float_of(WordVec bits) {
    return hn::BitCast(Floats(), bits);
}
HWY_INLINE Vec masked(Vec value, std::uint32_t mask) {
    return float_of(hn::And(bits_of(value), word(mask)));
}

/// slice_of(source, Slice::Low, value), lane by lane.
HWY_INLINE Vec low_part(Vec value, Source source) {
    const Vec low = hn::Sub(masked(value, slice_mask(source, Slice::Full)),
                            masked(value, slice_mask(source, Slice::High)));
    return hn::IfThenElseZero(hn::IsFinite(value), low);
}

/// Upper half of each word to bf16: nearest, ties to even; NaN becomes 0x7FC0. Result in the
/// upper 16 bits, lower bits zero, so that it is also the rounded value as a float.
HWY_INLINE WordVec round_bf16_bits(Vec value) {
    const WordVec bits = bits_of(value);
    const WordVec odd = hn::And(hn::ShiftRight<16>(bits), word(1));
    const WordVec rounded = hn::Add(bits, hn::Add(odd, word(0x7FFFU)));
    const WordVec kept = hn::And(rounded, word(0xFFFF0000U));
    return hn::IfThenElse(hn::RebindMask(Words(), hn::IsNaN(value)), word(0x7FC00000U), kept);
}
HWY_INLINE Vec round_bf16(Vec value) {
    return float_of(round_bf16_bits(value));
}

/// 16-bit bf16 patterns at `from`, widened to floats.
HWY_INLINE Vec load_bf16(const std::uint16_t* from) {
    return float_of(hn::ShiftLeft<16>(hn::PromoteTo(Words(), hn::LoadU(Halves(), from))));
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
/// Two vectors of floats from 32 halves: one permutation of words each, where widening and shifting
/// take two instructions and their ports are the limit.
HWY_INLINE void widen_pair(const std::uint16_t* in, std::uint16_t mask, float* out) {
    const hn::ScalableTag<std::uint16_t> halves;
    HWY_ALIGN static constexpr std::uint16_t kOrder[64] = {
        0, 0,  0, 1,  0, 2,  0, 3,  0, 4,  0, 5,  0, 6,  0, 7,  0, 8,  0, 9,  0, 10,
        0, 11, 0, 12, 0, 13, 0, 14, 0, 15, 0, 16, 0, 17, 0, 18, 0, 19, 0, 20, 0, 21,
        0, 22, 0, 23, 0, 24, 0, 25, 0, 26, 0, 27, 0, 28, 0, 29, 0, 30, 0, 31};
    constexpr __mmask32 kUpperHalves = 0xAAAAAAAAU;
    const __m512i kept = hn::And(hn::LoadU(halves, in), hn::Set(halves, mask)).raw;
    for (std::size_t i = 0; i < 2; ++i) {
        const __m512i order = hn::Load(halves, kOrder + 32 * i).raw;
        _mm512_storeu_si512(out + 16 * i,
                            _mm512_maskz_permutexvar_epi16(kUpperHalves, order, kept));
    }
}

/// round_bf16_bits of two vectors to 32 halves. Rounded as 16-bit words, which come two to a lane.
HWY_INLINE void narrow_pair(Vec first, Vec second, std::uint16_t* out) {
    const hn::ScalableTag<std::uint16_t> halves;
    HWY_ALIGN static constexpr std::uint16_t kOrder[32] = {
        0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
        1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
    if (!hn::AllFalse(Floats(), hn::IsNaN(hn::Add(first, second)))) {  // also inf - inf
        first = float_of(round_bf16_bits(first));
        second = float_of(round_bf16_bits(second));
    }
    const WordVec upper_mask = word(0xFFFF0000U);
    const WordVec upper =
        hn::OrAnd(hn::ShiftRight<16>(bits_of(first)), bits_of(second), upper_mask);
    const WordVec lower =
        hn::Or(hn::AndNot(upper_mask, bits_of(first)), hn::ShiftLeft<16>(bits_of(second)));
    const auto kept = hn::BitCast(halves, upper);
    const auto odd = hn::And(kept, hn::Set(halves, 1));
    const auto beyond_half = hn::SaturatedAdd(hn::BitCast(halves, lower), odd);
    const auto is_up = hn::Gt(beyond_half, hn::Set(halves, 0x8000));
    const auto rounded = hn::Sub(kept, hn::VecFromMask(halves, is_up));
    const auto order = hn::Load(halves, kOrder);
    _mm512_storeu_si512(out, _mm512_permutexvar_epi16(order.raw, rounded.raw));
}
#else
HWY_INLINE void widen_pair(const std::uint16_t* in, std::uint16_t mask, float* out) {
    for (std::size_t i = 0; i < 2 * kLanes; i += kLanes) {
        store(masked(load_bf16(in + i), std::uint32_t{mask} << 16), out + i);
    }
}
HWY_INLINE void narrow_pair(Vec first, Vec second, std::uint16_t* out) {
    const auto narrow = [](Vec value) HWY_ATTR {
        const WordVec upper = hn::ShiftRight<16>(round_bf16_bits(value));
        return hn::DemoteTo(Halves(), hn::BitCast(Ints(), upper));
    };
    hn::StoreU(narrow(first), Halves(), out);
    hn::StoreU(narrow(second), Halves(), out + kLanes);
}
#endif

/// A tile of halves, each masked first, to floats.
HWY_INLINE void widen_tile(const std::uint16_t* in, std::uint16_t mask, float* out) {
    for (std::size_t i = 0; i < kTileElements; i += 2 * kLanes) {
        widen_pair(in + i, mask, out + i);
    }
}

/// out[i] = op(in[i]) over a tile; in and out may be the same tile.
template <class Op>
HWY_INLINE void map_tile(const float* in, float* out, Op op) {
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        store(op(load(in + i)), out + i);
    }
}

/// out[i] = op(a[i], b[i]) over a tile; any of the three may be the same tile.
template <class Op>
HWY_INLINE void zip_tile(const float* a, const float* b, float* out, Op op) {
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        store(op(load(a + i), load(b + i)), out + i);
    }
}

}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
