// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "emu/tile/format/bf16.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/sfpu.hpp"
#include "tessera/errors.hpp"

namespace tessera::tile::sfpu {
namespace {

/// Returns the value in a slot: integers and floats are exact in a double.
double value_in(DataFormat format, std::uint32_t bits) {
    if (format == DataFormat::Int32) {
        return static_cast<std::int32_t>(bits);
    }
    if (is_integer_format(format)) {
        return bits;
    }
    return std::bit_cast<float>(bits);
}

/// Returns the largest number of an unsigned format, or 0, for values out of range; NaN by its
/// sign.
std::uint32_t clamped(double value, std::uint32_t largest) {
    if (std::signbit(value)) {
        return 0;
    }
    return value < largest ? static_cast<std::uint32_t>(value) : largest;
}

/// Drops the fraction. Values out of range become the smallest int32, as on the chip (tt-metal
/// issue 55933).
std::uint32_t truncated_to_int32(double value) {
    constexpr double kEnd = 0x1p31;
    if (std::abs(value) < kEnd) {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    }
    return 0x80000000U;
}

/// Keeps the low byte: 300 becomes 44 (tt-metal issue 55325).
std::uint32_t low_byte(DataFormat from, std::uint32_t bits) {
    const std::uint32_t whole =
        is_integer_format(from) ? bits : truncated_to_int32(std::bit_cast<float>(bits));
    return whole & 0xFFU;
}

/// The chip's casts have no common rule: each format rounds and overflows in its own way.
std::uint32_t cast_bits(DataFormat from, DataFormat to, std::uint32_t bits) {
    const double value = value_in(from, bits);
    switch (to) {
        case DataFormat::Float32:
            return std::bit_cast<std::uint32_t>(static_cast<float>(value));
        case DataFormat::Float16_b:
            return std::bit_cast<std::uint32_t>(round_to_bf16(static_cast<float>(value)));
        case DataFormat::Int32:
            return truncated_to_int32(value);
        case DataFormat::UInt32:
            return clamped(value, std::numeric_limits<std::uint32_t>::max());
        case DataFormat::UInt16:
            // To the nearest, halves away from zero (tt-metal issue 51655).
            return clamped(std::round(value), std::numeric_limits<std::uint16_t>::max());
        case DataFormat::UInt8:
            return low_byte(from, bits);
        default:
            break;
    }
    ensure(false, "typecast: no cast to {} in DST; pack to it instead", name_of(to));
    return 0;
}

}  // namespace

void typecast(DataFormat from, DataFormat to, float* tile) {
    for (std::size_t i = 0; i < kTileElements; ++i) {
        std::uint32_t bits;
        std::memcpy(&bits, tile + i, sizeof(bits));
        bits = cast_bits(from, to, bits);
        std::memcpy(tile + i, &bits, sizeof(bits));
    }
}

}  // namespace tessera::tile::sfpu
