// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/format/integer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "tessera/data_format.hpp"

namespace tessera::tile {
namespace {

// Bits are copied by memcpy: a float register could quiet a signalling pattern.
template <class Element, class Widen>
void unpack(const std::byte* src, float* tile, Widen widen) {
    std::array<Element, kTileElements> elements;
    std::array<std::uint32_t, kTileElements> words;
    std::memcpy(elements.data(), src, sizeof(elements));
    for (std::size_t i = 0; i < kTileElements; ++i) {
        words[i] = widen(elements[i]);
    }
    std::memcpy(tile, words.data(), sizeof(words));
}

template <class Element>
void unpack(const std::byte* src, float* tile) {
    unpack<Element>(src, tile, [](Element element) { return std::uint32_t{element}; });
}

template <class Element, class Narrow>
void pack(const float* tile, std::byte* out, Narrow narrow) {
    std::array<std::uint32_t, kTileElements> words;
    std::array<Element, kTileElements> elements;
    std::memcpy(words.data(), tile, sizeof(words));
    for (std::size_t i = 0; i < kTileElements; ++i) {
        elements[i] = static_cast<Element>(narrow(words[i]));
    }
    std::memcpy(out, elements.data(), sizeof(elements));
}

}  // namespace

void unpack_int32_tile(const std::byte* src, float* tile) {
    std::memcpy(tile, src, tile_bytes(DataFormat::Int32));
}
void pack_int32_tile(const float* tile, std::byte* out) {
    std::memcpy(out, tile, tile_bytes(DataFormat::Int32));
}

void unpack_uint16_tile(const std::byte* src, float* tile) {
    unpack<std::uint16_t>(src, tile);
}
void pack_uint16_tile(const float* tile, std::byte* out) {
    pack<std::uint16_t>(tile, out, [](std::uint32_t bits) { return bits & 0xFFFFU; });
}

void unpack_uint8_tile(const std::byte* src, float* tile) {
    unpack<std::uint8_t>(src, tile);
}
void pack_uint8_tile(const float* tile, std::byte* out) {
    pack<std::uint8_t>(tile, out, [](std::uint32_t bits) { return std::min(bits, 255U); });
}

constexpr std::uint8_t kSign = 0x80;
constexpr std::int32_t kMostMagnitude = 127;

void unpack_int8_tile(const std::byte* src, float* tile) {
    unpack<std::uint8_t>(src, tile, [](std::uint8_t element) {
        const std::uint32_t magnitude = element & ~std::uint32_t{kSign};
        return (element & kSign) != 0 ? 0 - magnitude : magnitude;
    });
}
void pack_int8_tile(const float* tile, std::byte* out) {
    pack<std::uint8_t>(tile, out, [](std::uint32_t bits) {
        const auto value =
            std::clamp(static_cast<std::int32_t>(bits), -kMostMagnitude, kMostMagnitude);
        return value < 0 ? kSign | -value : value;
    });
}

}  // namespace tessera::tile
