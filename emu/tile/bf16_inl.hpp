// SPDX-License-Identifier: Apache-2.0
// Converts bf16 tiles in memory to floats and back, with vectors; compiled once per SIMD target.
#if defined(TESSERA_EMU_TILE_BF16_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_EMU_TILE_BF16_INL
#undef TESSERA_EMU_TILE_BF16_INL
#else
#define TESSERA_EMU_TILE_BF16_INL
#endif

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
/// Makes two vectors of floats from 32 halves with one permutation of words each. Widening and
/// shifting take two instructions, and their ports are the limit.
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

/// Rounds two vectors to 32 halves like round_bf16_bits, but as 16-bit words, two per lane.
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

/// Converts a tile of halves to floats after masking each half.
HWY_INLINE void widen_tile(const std::uint16_t* in, std::uint16_t mask, float* out) {
    for (std::size_t i = 0; i < kTileElements; i += 2 * kLanes) {
        widen_pair(in + i, mask, out + i);
    }
}

/// Writes a slice of every element of a bf16 tile.
HWY_INLINE void slice_tile_of_halves(const std::uint16_t* in, Source source, Slice slice,
                                     float* out) {
    if (slice != Slice::Low) {
        // Masked before widening: half the instructions.
        return widen_tile(in, static_cast<std::uint16_t>(slice_mask(source, slice) >> 16), out);
    }
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        store(low_part(load_bf16(in + i), source), out + i);
    }
}

}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
