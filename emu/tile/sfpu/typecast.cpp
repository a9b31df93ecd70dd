// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <type_traits>

#include "emu/tile/format/bf16.hpp"
#include "emu/tile/format/integer.hpp"
#include "emu/tile/sfpu.hpp"
#include "tessera/errors.hpp"

namespace tessera::tile::sfpu {
namespace {

/// Value in a slot: integers are exact in a double, as are floats.
double value_in(DataFormat format, std::uint32_t bits) {
    if (format == DataFormat::Int32) {
        return static_cast<std::int32_t>(bits);
    }
    if (is_integer_format(format)) {
        return bits;
    }
    return std::bit_cast<float>(bits);
}

template <class Integer>
std::uint32_t held_in_range(double value) {
    using Limits = std::numeric_limits<Integer>;
    if (!(value > static_cast<double>(Limits::min()))) {
        return static_cast<std::uint32_t>(value < 0 ? Limits::min() : Integer{0});
    }
    if (value >= static_cast<double>(Limits::max())) {
        return static_cast<std::uint32_t>(Limits::max());
    }
    return static_cast<std::uint32_t>(static_cast<Integer>(value));
}

std::uint32_t bits_for(DataFormat format, double value) {
    switch (format) {
        case DataFormat::Float32:
            return std::bit_cast<std::uint32_t>(static_cast<float>(value));
        case DataFormat::Float16_b:
            return std::bit_cast<std::uint32_t>(round_to_bf16(static_cast<float>(value)));
        case DataFormat::Int32:
            return held_in_range<std::int32_t>(value);
        case DataFormat::UInt32:
            return held_in_range<std::uint32_t>(value);
        case DataFormat::UInt16:
            return held_in_range<std::uint16_t>(value);
        case DataFormat::UInt8:
            return held_in_range<std::uint8_t>(value);
        default:
            break;
    }
    ensure(false, "typecast: no cast to {} in DST; pack to it instead", name_of(format));
    return 0;
}

}  // namespace

void typecast(DataFormat from, DataFormat to, float* tile) {
    for (std::size_t i = 0; i < kTileElements; ++i) {
        std::uint32_t bits;
        std::memcpy(&bits, tile + i, sizeof(bits));
        bits = bits_for(to, value_in(from, bits));
        std::memcpy(tile + i, &bits, sizeof(bits));
    }
}

}  // namespace tessera::tile::sfpu
