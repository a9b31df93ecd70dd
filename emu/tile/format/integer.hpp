// SPDX-License-Identifier: Apache-2.0
// Integers in tiles: they travel through the float slots of a tile as bit patterns, so that
// unpack, copy and pack keep them. Arithmetic on them: emu/tile/integer_ops.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "tessera/data_format.hpp"

namespace tessera::tile {

[[nodiscard]] constexpr bool is_integer_format(DataFormat format) noexcept {
    return format == DataFormat::Int32 || format == DataFormat::UInt32 ||
           format == DataFormat::UInt16 || format == DataFormat::UInt8;
}

/// The float slot that holds an integer. Two's complement, unlike Wormhole's sign and magnitude,
/// which no kernel sees except by reading DST as another format.
[[nodiscard]] constexpr float slot_of(std::uint32_t bits) noexcept {
    return std::bit_cast<float>(bits);
}
[[nodiscard]] constexpr std::uint32_t bits_in(float slot) noexcept {
    return std::bit_cast<std::uint32_t>(slot);
}

/// int32 and uint32: 4 bytes an element, unchanged.
void unpack_int32_tile(const std::byte* src, float* tile);
void pack_int32_tile(const float* tile, std::byte* out);

/// Zero-extended to 32 bits in the slot; packing keeps the lower 16.
void unpack_uint16_tile(const std::byte* src, float* tile);
void pack_uint16_tile(const float* tile, std::byte* out);

/// Zero-extended to 32 bits in the slot; packing saturates the slot, read as unsigned, at 255.
void unpack_uint8_tile(const std::byte* src, float* tile);
void pack_uint8_tile(const float* tile, std::byte* out);

}  // namespace tessera::tile
