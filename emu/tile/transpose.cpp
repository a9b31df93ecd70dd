// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/transpose.hpp"

#include <array>
#include <cstdint>
#include <cstring>

#include "tessera/data_format.hpp"

namespace tessera::tile {
namespace {

void transpose_face(const std::uint32_t* in, std::uint32_t* out) {
    for (std::size_t row = 0; row < kFaceRows; ++row) {
        for (std::size_t column = 0; column < kFaceColumns; ++column) {
            out[column * kFaceColumns + row] = in[row * kFaceColumns + column];
        }
    }
}

}  // namespace

void transpose_tile(const float* in, float* out) {
    // Words, not floats: integers in slots must keep their bits.
    std::array<std::uint32_t, kTileElements> words;
    std::array<std::uint32_t, kTileElements> turned;
    std::memcpy(words.data(), in, sizeof(words));
    constexpr std::array<std::size_t, kFacesPerTile> kTurnedFace{0, 2, 1, 3};
    for (std::size_t face = 0; face < kFacesPerTile; ++face) {
        transpose_face(words.data() + face * kFaceElements,
                       turned.data() + kTurnedFace[face] * kFaceElements);
    }
    std::memcpy(out, turned.data(), sizeof(turned));
}

}  // namespace tessera::tile
