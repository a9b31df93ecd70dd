// SPDX-License-Identifier: Apache-2.0
// Numbers of stored tensors as float32: plain ones, and codes times their scales.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "emu/base/tensor_file/safetensors.hpp"

namespace tessera::pipeline {

// Sizes of blocks are those of DeepSeek's files (128 × 128), of OCP's MX formats (32 elements) and
// of NVFP4 (16 elements).
inline constexpr std::uint32_t kScaleBlock = 128;  ///< rows and columns with one fp8 scale
inline constexpr std::uint32_t kMxBlock = 32;      ///< columns with one MXFP4 scale
/// Bytes of a block of MXFP4: two codes a byte, the even column low.
inline constexpr std::uint32_t kMxBytes = kMxBlock / 2;
inline constexpr std::uint32_t kNvBlock = 16;  ///< columns with one NVFP4 scale

[[nodiscard]] constexpr std::uint32_t blocks_of(std::uint32_t extent, std::uint32_t block) {
    return (extent + block - 1) / block;
}

/// Whether the elements are numbers without a scale: BF16, F16 or F32.
[[nodiscard]] bool is_plain(Dtype dtype);

/// Returns an element of BF16, F16, F32, F8_E4M3 or I8; float32 has all of them exactly.
[[nodiscard]] float number_at(const StoredTensor& tensor, std::size_t i);

/// Copies the (columns, rows) matrix that begins at element `first` as (rows, columns).
void transpose_into(const StoredTensor& tensor, std::size_t first, std::uint32_t columns,
                    std::span<float> out);

/// Multiplies a matrix by scales: one for each block of 128 × 128, each row, or all of it. Shapes
/// distinguish the kinds; files do not name them.
void scale_matrix(const StoredTensor& scales, std::size_t first, std::uint32_t columns,
                  std::span<float> out);

/// Reads blocks of MXFP4, from block `first` on.
void read_mxfp4(const StoredTensor& codes, const StoredTensor& scales, std::size_t first,
                std::span<float> out);

/// Reads blocks of NVFP4, from block `first` on: code · scale of its block · factor.
void read_nvfp4(const StoredTensor& codes, const StoredTensor& scales, float factor,
                std::size_t first, std::span<float> out);

}  // namespace tessera::pipeline
