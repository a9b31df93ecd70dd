// SPDX-License-Identifier: Apache-2.0
// Number formats and chips under TT-Metalium's names.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "tt-metalium/enum_name.hpp"

namespace tt {

/// Number format of an element, with the chip's values. A circular buffer accepts the formats that
/// Tessera emulates. The other formats exist so that programs that name them compile.
enum class DataFormat : std::uint8_t {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,
    Bfp2 = 11,
    Int8 = 14,
    Bfp2_b = 15,
    UInt32 = 24,
    Fp8_e4m3 = 26,
    UInt8 = 30,
    RawUInt8 = 0xf0,
    RawUInt16 = 0xf1,
    RawUInt32 = 0xf2,
    Invalid = 0xff,
};

/// Chip family.
enum class ARCH : std::uint8_t {
    GRAYSKULL = 1,
    WORMHOLE = 2,
    WORMHOLE_B0 = 3,
    BLACKHOLE = 4,
    QUASAR = 5,
    Invalid = 0xff,
};

/// Returns "wormhole_b0", "blackhole", ….
[[nodiscard]] std::string arch_to_str(ARCH arch);
[[nodiscard]] inline std::string get_string_lowercase(ARCH arch) {
    return arch_to_str(arch);
}

/// Throws std::runtime_error: `call` (datum_size or tile_size) has no result for the format.
[[noreturn]] void refuse_size(const char* call, DataFormat format);

/// Returns the bytes of one element.
/// Errors   std::runtime_error for block formats, whose elements share exponents.
[[nodiscard]] constexpr std::uint32_t datum_size(DataFormat format) {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Tf32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32:
            return 4;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::RawUInt16:
            return 2;
        case DataFormat::Int8:
        case DataFormat::Lf8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::UInt8:
        case DataFormat::RawUInt8:
            return 1;
        default:
            refuse_size("datum_size", format);
    }
}

/// Returns the bytes of a 32×32 tile, shared exponents included.
/// Errors   std::runtime_error for Invalid.
[[nodiscard]] constexpr std::uint32_t tile_size(DataFormat format) {
    constexpr std::uint32_t kElements = 32 * 32;
    constexpr std::uint32_t kExponents = 4 * 16;  // one for each row of 16 elements
    switch (format) {
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b:
            return kElements + kExponents;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b:
            return kElements / 2 + kExponents;
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b:
            return kElements / 4 + kExponents;
        default:
            return kElements * datum_size(format);
    }
}

std::ostream& operator<<(std::ostream& stream, DataFormat format);
std::ostream& operator<<(std::ostream& stream, ARCH arch);

namespace tt_metal::detail {
[[nodiscard]] constexpr std::uint32_t TileSize(DataFormat format) {
    return tile_size(format);
}
}  // namespace tt_metal::detail

}  // namespace tt

template <>
inline constexpr bool tt::names::kIsPrinted<tt::DataFormat> = true;
template <>
inline constexpr bool tt::names::kIsPrinted<tt::ARCH> = true;
