// SPDX-License-Identifier: Apache-2.0
// Vector helpers shared by the tile engine's sources; compiled once per SIMD target. A source
// includes it after hwy/foreach_target.h. Not for headers of the engine's callers.
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

/// Defines sfpu::name(float* tile) as the host's version of name_tile; for sources under HWY_ONCE.
#define TESSERA_SFPU_EXPORT(name)                \
    HWY_EXPORT(name##_tile);                     \
    void sfpu::name(float* tile) {               \
        HWY_DYNAMIC_DISPATCH(name##_tile)(tile); \
    }
/// As TESSERA_SFPU_EXPORT, for a routine with a parameter.
#define TESSERA_SFPU_EXPORT_WITH(name, Parameter)           \
    HWY_EXPORT(name##_tile);                                \
    void sfpu::name(float* tile, Parameter parameter) {     \
        HWY_DYNAMIC_DISPATCH(name##_tile)(tile, parameter); \
    }

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

/// Rounds the upper half of each word to bf16: nearest, ties to even; NaN becomes 0x7FC0. The
/// result is in the upper 16 bits with zero lower bits, so it is also the rounded value as a float.
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
