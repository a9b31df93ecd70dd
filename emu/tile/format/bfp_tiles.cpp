// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "emu/tile/format/bfp4_b.hpp"
#include "emu/tile/format/bfp8_b.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emu/tile/format/bfp_tiles.cpp"
#include <hwy/foreach_target.h>

#include "emu/tile/simd_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::tile::HWY_NAMESPACE {
namespace {

HWY_INLINE WordVec exponents_of(Vec value) {
    return hn::And(hn::ShiftRight<23>(bits_of(value)), word(0xFFU));
}

HWY_INLINE std::uint32_t shared_exponent(const float* block) {
    WordVec largest = word(0);
    for (std::size_t i = 0; i < kBlockElements; i += kLanes) {
        largest = hn::Max(largest, exponents_of(load(block + i)));
    }
    return hn::GetLane(hn::MaxOfLanes(Words(), largest));
}

/// block_encode, lane by lane.
template <unsigned kMagnitudeBits>
HWY_INLINE WordVec encode(Vec value, std::uint32_t exponent) {
    constexpr int kDropped = 24 - kMagnitudeBits;
    const WordVec bits = bits_of(value);
    const WordVec own = exponents_of(value);
    const WordVec distance = hn::Min(hn::Sub(word(exponent), own), word(31));
    const WordVec hidden = hn::Or(hn::And(bits, word(0x7FFFFFU)), word(0x800000U));
    const WordVec significand = hn::IfThenZeroElse(hn::Eq(own, word(0)), hn::Shr(hidden, distance));
    const WordVec odd = hn::And(hn::ShiftRight<kDropped>(significand), word(1));
    const WordVec half = word((1U << (kDropped - 1)) - 1);
    const WordVec rounded = hn::ShiftRight<kDropped>(hn::Add(significand, hn::Add(half, odd)));
    const WordVec magnitude = hn::Min(rounded, word((1U << kMagnitudeBits) - 1));
    const WordVec sign = hn::ShiftLeft<kMagnitudeBits>(hn::ShiftRight<31>(bits));
    return hn::IfThenZeroElse(hn::Eq(magnitude, word(0)), hn::Or(sign, magnitude));
}

/// block_decode, lane by lane.
template <unsigned kMagnitudeBits>
HWY_INLINE Vec decode(WordVec code, float unit) {
    const WordVec magnitude = hn::And(code, word((1U << kMagnitudeBits) - 1));
    const WordVec sign = hn::ShiftLeft<31>(hn::ShiftRight<kMagnitudeBits>(code));
    const Vec value =
        hn::Mul(hn::ConvertTo(Floats(), hn::BitCast(Ints(), magnitude)), constant(unit));
    const WordVec bits = hn::Or(bits_of(value), sign);
    return float_of(hn::IfThenElse(hn::Eq(bits, word(0x80000000U)), word(0xFF800000U), bits));
}

/// Encodes a block with one code per byte; returns the shared exponent.
template <unsigned kMagnitudeBits>
HWY_INLINE std::uint8_t encode_block(const float* block, std::uint8_t* codes) {
    const std::uint32_t exponent = shared_exponent(block);
    for (std::size_t i = 0; i < kBlockElements; i += kLanes) {
        const WordVec code = encode<kMagnitudeBits>(load(block + i), exponent);
        hn::StoreU(hn::DemoteTo(Octets(), hn::BitCast(Ints(), code)), Octets(), codes + i);
    }
    return static_cast<std::uint8_t>(exponent);
}

template <unsigned kMagnitudeBits>
HWY_INLINE void decode_block(const std::uint8_t* codes, std::uint8_t exponent, float* block) {
    const float unit = block_unit<kMagnitudeBits>(exponent);
    for (std::size_t i = 0; i < kBlockElements; i += kLanes) {
        const WordVec code = hn::PromoteTo(Words(), hn::LoadU(Octets(), codes + i));
        store(decode<kMagnitudeBits>(code, unit), block + i);
    }
}

/// Packs eight 4-bit codes, one per byte, into 32 bits, the first lowest.
HWY_INLINE std::uint32_t join_nibbles(std::uint64_t codes) {
    codes = (codes | codes >> 4) & 0x00FF00FF00FF00FFU;
    codes = (codes | codes >> 8) & 0x0000FFFF0000FFFFU;
    return static_cast<std::uint32_t>(codes | codes >> 16);
}

HWY_INLINE std::uint64_t split_nibbles(std::uint32_t packed) {
    std::uint64_t codes = packed;
    codes = (codes | codes << 16) & 0x0000FFFF0000FFFFU;
    codes = (codes | codes << 8) & 0x00FF00FF00FF00FFU;
    return (codes | codes << 4) & 0x0F0F0F0F0F0F0F0FU;
}

void encode_bfp8(const float* tile, std::uint8_t* out) {
    for (std::size_t b = 0; b < kBlocksPerTile; ++b) {
        const std::size_t first = b * kBlockElements;
        out[b] = encode_block<kBfp8MagnitudeBits>(tile + first, out + kBlocksPerTile + first);
    }
}

void decode_bfp8(const std::uint8_t* in, float* tile) {
    for (std::size_t b = 0; b < kBlocksPerTile; ++b) {
        const std::size_t first = b * kBlockElements;
        decode_block<kBfp8MagnitudeBits>(in + kBlocksPerTile + first, in[b], tile + first);
    }
}

void encode_bfp4(const float* tile, std::uint8_t* out) {
    for (std::size_t b = 0; b < kBlocksPerTile; ++b) {
        std::array<std::uint8_t, kBlockElements> codes;
        std::array<std::uint64_t, 2> words;
        out[b] = encode_block<kBfp4MagnitudeBits>(tile + b * kBlockElements, codes.data());
        std::memcpy(words.data(), codes.data(), sizeof(words));
        const std::array packed{join_nibbles(words[0]), join_nibbles(words[1])};
        std::memcpy(out + kBlocksPerTile + b * sizeof(packed), packed.data(), sizeof(packed));
    }
}

void decode_bfp4(const std::uint8_t* in, float* tile) {
    for (std::size_t b = 0; b < kBlocksPerTile; ++b) {
        std::array<std::uint32_t, 2> packed;
        std::memcpy(packed.data(), in + kBlocksPerTile + b * sizeof(packed), sizeof(packed));
        const std::array words{split_nibbles(packed[0]), split_nibbles(packed[1])};
        std::array<std::uint8_t, kBlockElements> codes;
        std::memcpy(codes.data(), words.data(), sizeof(words));
        decode_block<kBfp4MagnitudeBits>(codes.data(), in[b], tile + b * kBlockElements);
    }
}

}  // namespace
}  // namespace tessera::tile::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::tile {

HWY_EXPORT(encode_bfp8);
HWY_EXPORT(decode_bfp8);
HWY_EXPORT(encode_bfp4);
HWY_EXPORT(decode_bfp4);

void unpack_bfp8_tile(const std::byte* src, float* tile) {
    HWY_DYNAMIC_DISPATCH(decode_bfp8)(reinterpret_cast<const std::uint8_t*>(src), tile);
}
void pack_bfp8_tile(const float* tile, std::byte* out) {
    HWY_DYNAMIC_DISPATCH(encode_bfp8)(tile, reinterpret_cast<std::uint8_t*>(out));
}
void unpack_bfp4_tile(const std::byte* src, float* tile) {
    HWY_DYNAMIC_DISPATCH(decode_bfp4)(reinterpret_cast<const std::uint8_t*>(src), tile);
}
void pack_bfp4_tile(const float* tile, std::byte* out) {
    HWY_DYNAMIC_DISPATCH(encode_bfp4)(tile, reinterpret_cast<std::uint8_t*>(out));
}

}  // namespace tessera::tile
#endif
