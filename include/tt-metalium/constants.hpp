// SPDX-License-Identifier: Apache-2.0
// Sizes of tiles and faces, in elements, and of block-format tiles, in bytes.
#pragma once

#include <cstdint>

namespace tt::constants {

inline constexpr std::uint32_t TILE_HEIGHT = 32;
inline constexpr std::uint32_t TILE_WIDTH = 32;
inline constexpr std::uint32_t TILE_HW = TILE_HEIGHT * TILE_WIDTH;
inline constexpr std::uint32_t FACE_HEIGHT = 16;
inline constexpr std::uint32_t FACE_WIDTH = 16;
inline constexpr std::uint32_t FACE_HW = FACE_HEIGHT * FACE_WIDTH;
/// 64 shared exponents, one byte each, come before the mantissas.
inline constexpr std::uint32_t BFLOAT8_B_TILE_HW = TILE_HW + 64;
inline constexpr std::uint32_t BFLOAT4_B_TILE_HW = TILE_HW / 2 + 64;

}  // namespace tt::constants
