// SPDX-License-Identifier: Apache-2.0
// bfp4_b: block floating point with 3 magnitude bits, 576 bytes a tile; rules in block_float.hpp.
#pragma once

#include <cstddef>

#include "emu/tile/format/block_float.hpp"

namespace tessera::tile {

inline constexpr unsigned kBfp4MagnitudeBits = 3;

void unpack_bfp4_tile(const std::byte* src, float* tile);
/// The shared exponent of a block is the largest of its elements.
void pack_bfp4_tile(const float* tile, std::byte* out);

}  // namespace tessera::tile
