// SPDX-License-Identifier: Apache-2.0
// bfp8_b: block floating point with 7 magnitude bits, 1088 bytes a tile; rules in block_float.hpp.
#pragma once

#include <cstddef>

#include "emu/tile/format/block_float.hpp"

namespace tessera::tile {

inline constexpr unsigned kBfp8MagnitudeBits = 7;

void unpack_bfp8_tile(const std::byte* src, float* tile);
/// The shared exponent of a block is the largest of its elements.
void pack_bfp8_tile(const float* tile, std::byte* out);

}  // namespace tessera::tile
