// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/format/integer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "tessera/data_format.hpp"

namespace tessera::tile {
namespace {

// Bits are copied by memcpy: a float register could quiet a signalling pattern.
template <class Element>
void unpack(const std::byte* src, float* tile) {
    std::array<Element, kTileElements> elements;
    std::array<std::uint32_t, kTileElements> words;
    std::memcpy(elements.data(), src, sizeof(elements));
    for (std::size_t i = 0; i < kTileElements; ++i) {
        words[i] = elements[i];
    }
    std::memcpy(tile, words.data(), sizeof(words));
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

}  // namespace tessera::tile
