// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/stored_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "emu/base/bf16.hpp"
#include "emu/base/mx_numbers.hpp"
#include "emu/tile/format/fp8_e4m3.hpp"

namespace tessera::pipeline {
namespace {

// Copied, since a stored tensor may begin at any byte of its file.
template <class T>
T load(const std::byte* bytes, std::size_t element) {
    T value;
    std::memcpy(&value, bytes + element * sizeof(T), sizeof(T));
    return value;
}

/// Converts an IEEE half. Subnormal halves are multiples of 2^-24.
float half_to_float(std::uint16_t bits) {
    // 5 bits of exponent with bias 15, 10 of mantissa.
    const std::uint32_t exponent = bits >> 10U & 0x1FU;
    const std::uint32_t mantissa = bits & 0x3FFU;
    const float sign = (bits & 0x8000U) != 0 ? -1.F : 1.F;
    if (exponent == 0) {
        return sign * std::ldexp(static_cast<float>(mantissa), -24);
    }
    if (exponent == 0x1F) {
        return sign * (mantissa == 0 ? INFINITY : NAN);
    }
    return sign *
           std::ldexp(1.F + static_cast<float>(mantissa) / 1024.F, static_cast<int>(exponent) - 15);
}

/// Writes the numbers of bytes with two codes of e2m1 each, times a scale.
void read_e2m1(std::span<const std::byte> codes, float scale, std::span<float> out) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
        const auto byte = static_cast<std::uint8_t>(codes[i]);
        out[2 * i] = e2m1_to_float(byte) * scale;
        out[2 * i + 1] = e2m1_to_float(byte >> 4U) * scale;
    }
}

}  // namespace

float number_at(const StoredTensor& tensor, std::size_t i) {
    const std::byte* bytes = tensor.bytes.data();
    switch (tensor.dtype) {
        case Dtype::BF16:
            return bf16_to_float(load<std::uint16_t>(bytes, i));
        case Dtype::F16:
            return half_to_float(load<std::uint16_t>(bytes, i));
        case Dtype::F8_E4M3:
            return tile::e4m3_to_float(load<std::uint8_t>(bytes, i));
        case Dtype::I8:
            return static_cast<float>(load<std::int8_t>(bytes, i));
        default:  // callers have checked the dtype: only F32 is left
            return load<float>(bytes, i);
    }
}

bool is_plain(Dtype dtype) {
    return dtype == Dtype::BF16 || dtype == Dtype::F16 || dtype == Dtype::F32;
}

// By bands of rows, so that neither side misses the cache at each element.
void transpose_into(const StoredTensor& tensor, std::size_t first, std::uint32_t columns,
                    std::span<float> out) {
    constexpr std::size_t kBand = 64;
    const std::size_t rows = out.size() / columns;
    for (std::size_t band = 0; band < rows; band += kBand) {
        for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t r = band; r < std::min(band + kBand, rows); ++r) {
                out[r * columns + c] = number_at(tensor, first + c * rows + r);
            }
        }
    }
}

void scale_matrix(const StoredTensor& scales, std::size_t first, std::uint32_t columns,
                  std::span<float> out) {
    const auto rows = static_cast<std::uint32_t>(out.size() / columns);
    const bool is_blocked = scales.shape.size() >= 2 &&
                            scales.shape.back() == blocks_of(columns, kScaleBlock) &&
                            scales.shape[scales.shape.size() - 2] == blocks_of(rows, kScaleBlock);
    // Files do not state what a scale applies to, so the shape decides: blocks, rows, or the
    // matrix.
    const bool is_by_row = !is_blocked && num_elements(scales.shape) % rows == 0 && rows > 1;
    for (std::uint32_t r = 0; r < rows; ++r) {
        for (std::uint32_t c = 0; c < columns; ++c) {
            const std::size_t at =
                is_blocked ? std::size_t{r / kScaleBlock} * blocks_of(columns, kScaleBlock) +
                                 c / kScaleBlock
                : is_by_row ? r
                            : 0;
            out[std::size_t{r} * columns + c] *= number_at(scales, first + at);
        }
    }
}

void read_mxfp4(const StoredTensor& codes, const StoredTensor& scales, std::size_t first,
                std::span<float> out) {
    for (std::size_t block = 0; block < out.size() / kMxBlock; ++block) {
        // A power of two: each product with a code is exact.
        const float scale = e8m0_to_float(load<std::uint8_t>(scales.bytes.data(), first + block));
        read_e2m1(codes.bytes.subspan((first + block) * kMxBytes, kMxBytes), scale,
                  out.subspan(block * kMxBlock, kMxBlock));
    }
}

void read_nvfp4(const StoredTensor& codes, const StoredTensor& scales, float factor,
                std::size_t first, std::span<float> out) {
    constexpr std::size_t kBytes = kNvBlock / 2;
    for (std::size_t block = 0; block < out.size() / kNvBlock; ++block) {
        read_e2m1(codes.bytes.subspan((first + block) * kBytes, kBytes),
                  number_at(scales, first + block) * factor,
                  out.subspan(block * kNvBlock, kNvBlock));
    }
}

}  // namespace tessera::pipeline
