// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/format/integer.hpp"

#include <algorithm>
#include <cstring>

#include "tessera/data_format.hpp"

namespace tessera::tile {
namespace {

// Bits are copied by memcpy: a float register could quiet a signalling pattern.
template <class Element>
void unpack(const std::byte* src, float* tile) {
    for (std::size_t i = 0; i < kTileElements; ++i) {
        Element element;
        std::memcpy(&element, src + i * sizeof(Element), sizeof(Element));
        const std::uint32_t bits = element;
        std::memcpy(tile + i, &bits, sizeof(bits));
    }
}

template <class Element, class Narrow>
void pack(const float* tile, std::byte* out, Narrow narrow) {
    for (std::size_t i = 0; i < kTileElements; ++i) {
        std::uint32_t bits;
        std::memcpy(&bits, tile + i, sizeof(bits));
        const auto element = static_cast<Element>(narrow(bits));
        std::memcpy(out + i * sizeof(Element), &element, sizeof(Element));
    }
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
