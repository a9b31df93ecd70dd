// SPDX-License-Identifier: Apache-2.0
// Integers in tiles are bit patterns in the float slots of a tile, so unpack, copy and pack keep
// them. emu/tile/integer_ops.hpp has their arithmetic.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "tessera/data_format.hpp"

namespace tessera::tile {

[[nodiscard]] constexpr bool is_integer_format(DataFormat format) noexcept {
    return format == DataFormat::Int32 || format == DataFormat::UInt32 ||
           format == DataFormat::UInt16 || format == DataFormat::UInt8 ||
           format == DataFormat::Int8;
}

/// Returns the float slot of an integer. It is two's complement, unlike Wormhole's sign and
/// magnitude; a kernel notices only if it reads DST as another format.
[[nodiscard]] constexpr float slot_of(std::uint32_t bits) noexcept {
    return std::bit_cast<float>(bits);
}
[[nodiscard]] constexpr std::uint32_t bits_in(float slot) noexcept {
    return std::bit_cast<std::uint32_t>(slot);
}

/// Converts int32 and uint32: 4 bytes an element, unchanged.
void unpack_int32_tile(const std::byte* src, float* tile);
void pack_int32_tile(const float* tile, std::byte* out);

/// Zero-extends to 32 bits in the slot; packing keeps the lower 16.
void unpack_uint16_tile(const std::byte* src, float* tile);
void pack_uint16_tile(const float* tile, std::byte* out);

/// Zero-extends to 32 bits in the slot; packing saturates the slot, read as unsigned, at 255.
void unpack_uint8_tile(const std::byte* src, float* tile);
void pack_uint8_tile(const float* tile, std::byte* out);

/// Converts sign and magnitude to 32 bits of two's complement; packing saturates at ±127.
void unpack_int8_tile(const std::byte* src, float* tile);
void pack_int8_tile(const float* tile, std::byte* out);

}  // namespace tessera::tile
