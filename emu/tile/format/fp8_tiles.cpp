// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/format/fp8_e4m3.hpp"
#include "emu/tile/format/fp8_e5m2.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/format/fp8_tiles.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

/// Minifloat::encode, lane by lane.
template <class Format>
HWY_INLINE WordVec encode(Vec value, Overflow overflow) {
    const WordVec bits = bits_of(value);
    const WordVec magnitude = hn::And(bits, word(0x7FFFFFFFU));
    const WordVec sign = hn::And(hn::ShiftRight<24>(bits), word(0x80U));
    const WordVec odd = hn::And(hn::ShiftRight<Format::kDroppedBits>(magnitude), word(1));
    const WordVec half = word((1U << (Format::kDroppedBits - 1)) - 1);
    const WordVec normal =
        hn::Sub(hn::ShiftRight<Format::kDroppedBits>(hn::Add(magnitude, hn::Add(half, odd))),
                word(Format::kRebias));
    const Vec magic = constant(Format::kDenormalMagic);
    const WordVec denormal = hn::Sub(bits_of(hn::Add(float_of(magnitude), magic)), bits_of(magic));
    const auto is_small =
        hn::RebindMask(Words(), hn::Lt(float_of(magnitude), constant(Format::kMinNormal)));
    WordVec code = hn::IfThenElse(is_small, denormal, normal);
    const std::uint32_t beyond =
        overflow == Overflow::Saturate ? Format::kLargest : Format::kOverflow;
    code = hn::IfThenElse(hn::Gt(code, word(Format::kLargest)), word(beyond), code);
    const auto is_nan = hn::RebindMask(Words(), hn::IsNaN(value));
    return hn::Or(sign, hn::IfThenElse(is_nan, word(Format::kNan), code));
}

/// Minifloat::decode, lane by lane.
template <class Format>
HWY_INLINE Vec decode(WordVec code) {
    const WordVec magnitude = hn::And(code, word(0x7FU));
    const WordVec sign = hn::ShiftLeft<24>(hn::And(code, word(0x80U)));
    const WordVec normal =
        hn::ShiftLeft<Format::kDroppedBits>(hn::Add(magnitude, word(Format::kRebias)));
    const Vec small = hn::Mul(hn::ConvertTo(Floats(), hn::BitCast(Ints(), magnitude)),
                              constant(Format::kMinDenormal));
    WordVec bits =
        hn::IfThenElse(hn::Lt(magnitude, word(1U << Format::kMantissa)), bits_of(small), normal);
    bits = hn::IfThenElse(hn::Gt(magnitude, word(Format::kLargest)), word(0x7FC00000U), bits);
    if constexpr (Format::kOverflow != Format::kNan) {
        bits = hn::IfThenElse(hn::Eq(magnitude, word(Format::kOverflow)), word(0x7F800000U), bits);
    }
    return float_of(hn::Or(bits, sign));
}

template <class Format>
HWY_INLINE void encode_tile(const float* tile, std::uint8_t* out, Overflow overflow) {
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        const WordVec code = encode<Format>(load(tile + i), overflow);
        hn::StoreU(hn::DemoteTo(Octets(), hn::BitCast(Ints(), code)), Octets(), out + i);
    }
}

template <class Format>
HWY_INLINE void decode_tile(const std::uint8_t* in, float* tile) {
    for (std::size_t i = 0; i < kTileElements; i += kLanes) {
        store(decode<Format>(hn::PromoteTo(Words(), hn::LoadU(Octets(), in + i))), tile + i);
    }
}

void encode_e4m3(const float* tile, std::uint8_t* out) {
    encode_tile<Fp8E4m3>(tile, out, Overflow::Saturate);
}
void encode_e5m2(const float* tile, std::uint8_t* out) {
    encode_tile<Fp8E5m2>(tile, out, Overflow::Special);
}
void decode_e4m3(const std::uint8_t* in, float* tile) {
    decode_tile<Fp8E4m3>(in, tile);
}
void decode_e5m2(const std::uint8_t* in, float* tile) {
    decode_tile<Fp8E5m2>(in, tile);
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(encode_e4m3);
HWY_EXPORT(encode_e5m2);
HWY_EXPORT(decode_e4m3);
HWY_EXPORT(decode_e5m2);

void unpack_e4m3_tile(const std::byte* src, float* tile) {
    HWY_DYNAMIC_DISPATCH(decode_e4m3)(reinterpret_cast<const std::uint8_t*>(src), tile);
}
void pack_e4m3_tile(const float* tile, std::byte* out) {
    HWY_DYNAMIC_DISPATCH(encode_e4m3)(tile, reinterpret_cast<std::uint8_t*>(out));
}
void unpack_e5m2_tile(const std::byte* src, float* tile) {
    HWY_DYNAMIC_DISPATCH(decode_e5m2)(reinterpret_cast<const std::uint8_t*>(src), tile);
}
void pack_e5m2_tile(const float* tile, std::byte* out) {
    HWY_DYNAMIC_DISPATCH(encode_e5m2)(tile, reinterpret_cast<std::uint8_t*>(out));
}

}  // namespace tessera::tile
#endif
