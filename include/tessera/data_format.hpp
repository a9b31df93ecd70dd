// SPDX-License-Identifier: Apache-2.0
// Number formats of elements in L1 and DRAM, and their sizes.
#pragma once

#include <cstdint>

namespace tessera {

/// Number format of an element. Values are TT-Metalium's.
/// Source   tt-metal tt_metal/api/tt-metalium/tt_backend_api_types.hpp.
enum class DataFormat : std::uint8_t {
    Float32 = 0,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Float16_b = 5,  ///< bfloat16
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,   ///< fp8 e5m2
    Int8 = 14,  ///< sign and magnitude, −127 to 127; circular buffers only
    UInt32 = 24,
    Fp8_e4m3 = 26,
    UInt8 = 30,
    // Formats that no tensor and no circular buffer has. Kernels and host programs compare with
    // them.
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Bfp2 = 11,
    Int16 = 13,
    Bfp2_b = 15,
    RawUInt8 = 240,
    RawUInt16 = 241,
    RawUInt32 = 242,
    Invalid = 255,
};

inline constexpr std::uint32_t kTileRows = 32;
inline constexpr std::uint32_t kTileColumns = 32;
inline constexpr std::uint32_t kTileElements = kTileRows * kTileColumns;
inline constexpr std::uint32_t kFaceRows = 16;
inline constexpr std::uint32_t kFaceColumns = 16;
inline constexpr std::uint32_t kFaceElements = kFaceRows * kFaceColumns;
inline constexpr std::uint32_t kFacesPerTile = 4;

/// Returns the offset, in elements, of (row, column) inside a tile: four row-major 16×16 faces in
/// the order top-left, top-right, bottom-left, bottom-right.
/// Source   tt-isa-documentation, tile layout; tt-metal tilize_utils.cpp.
[[nodiscard]] constexpr std::uint32_t tile_offset(std::uint32_t row,
                                                  std::uint32_t column) noexcept {
    return ((row / kFaceRows) * 2 + column / kFaceColumns) * kFaceElements +
           (row % kFaceRows) * kFaceColumns + column % kFaceColumns;
}

/// Returns the bytes of one 32×32 tile. Block formats include their 64 shared exponents. 0 for
/// Invalid.
[[nodiscard]] constexpr std::uint32_t tile_bytes(DataFormat format) noexcept {
    switch (format) {
        case DataFormat::Float32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
            return 4096;
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
            return 2048;
        case DataFormat::Lf8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::Int8:
        case DataFormat::UInt8:
            return 1024;
        case DataFormat::Bfp8_b:
            return 1088;
        case DataFormat::Bfp4_b:
            return 576;
        default:
            return 0;
    }
    return 0;
}

/// Returns whether groups of elements share an exponent: bfp8_b and bfp4_b.
[[nodiscard]] constexpr bool is_block_format(DataFormat format) noexcept {
    return format == DataFormat::Bfp8_b || format == DataFormat::Bfp4_b;
}

/// Returns the bytes of one element; 0 for block formats, whose elements share exponents.
[[nodiscard]] constexpr std::uint32_t element_bytes(DataFormat format) noexcept {
    return is_block_format(format) ? 0 : tile_bytes(format) / kTileElements;
}

/// Returns "bfloat16", "float32", "fp8_e4m3", "fp8_e5m2", "bfp8_b", "bfp4_b", "int32", …
[[nodiscard]] constexpr const char* name_of(DataFormat format) noexcept {
    switch (format) {
        case DataFormat::Float32:
            return "float32";
        case DataFormat::Float16_b:
            return "bfloat16";
        case DataFormat::Bfp8_b:
            return "bfp8_b";
        case DataFormat::Bfp4_b:
            return "bfp4_b";
        case DataFormat::Int32:
            return "int32";
        case DataFormat::UInt32:
            return "uint32";
        case DataFormat::UInt16:
            return "uint16";
        case DataFormat::UInt8:
            return "uint8";
        case DataFormat::Int8:
            return "int8";
        case DataFormat::Lf8:
            return "fp8_e5m2";
        case DataFormat::Fp8_e4m3:
            return "fp8_e4m3";
        default:
            return "invalid";
    }
    return "invalid";
}

/// Number of mantissa slices that the multiplier processes.
/// Source   tt-isa-documentation, MVMUL / SrcASrcB.
enum class MathFidelity : std::uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };

/// Returns "LoFi", "HiFi2", "HiFi3" or "HiFi4".
[[nodiscard]] constexpr const char* name_of(MathFidelity fidelity) noexcept {
    switch (fidelity) {
        case MathFidelity::LoFi:
            return "LoFi";
        case MathFidelity::HiFi2:
            return "HiFi2";
        case MathFidelity::HiFi3:
            return "HiFi3";
        case MathFidelity::HiFi4:
            return "HiFi4";
    }
    return "?";
}

}  // namespace tessera
