// SPDX-License-Identifier: Apache-2.0
// Sizes, operands and result of the matrix products in blocks, for both generations.
#pragma once

#include <cstdint>
#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/host_api.hpp>
#include <vector>

namespace metalium_programs {

// Blocks of 2 x 2 tiles, one of the result on each core.
inline constexpr std::uint32_t kBlockRows = 3;
inline constexpr std::uint32_t kBlockColumns = 4;
inline constexpr std::uint32_t kInnerBlocks = 5;
inline constexpr std::uint32_t kBlockSide = 64;  // elements
inline constexpr std::uint32_t kRows = kBlockRows * kBlockSide;
inline constexpr std::uint32_t kInner = kInnerBlocks * kBlockSide;
inline constexpr std::uint32_t kColumns = kBlockColumns * kBlockSide;

/// Returns whole numbers around 0, whose products' sums bfloat16 holds exactly.
inline std::vector<bfloat16> small_numbers(std::size_t count, std::size_t factor) {
    std::vector<bfloat16> numbers;
    for (std::size_t i = 0; i < count; ++i) {
        numbers.emplace_back(static_cast<float>(i * factor % 13 % 3) - 1.0F);
    }
    return numbers;
}

/// Returns whether `c`, row by row, is the product of the operands.
inline bool is_product(const std::vector<bfloat16>& c, const std::vector<bfloat16>& a,
                       const std::vector<bfloat16>& b) {
    bool is_right = c.size() == std::size_t{kRows} * kColumns;
    for (std::size_t i = 0; is_right && i < c.size(); ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < kInner; ++k) {
            sum += static_cast<float>(a[i / kColumns * kInner + k]) *
                   static_cast<float>(b[k * kColumns + i % kColumns]);
        }
        is_right = static_cast<float>(c[i]) == sum;
    }
    return is_right;
}

/// Arguments of read_blocks.cpp without multicast on the core of a block of the result.
inline std::vector<std::uint32_t> block_reader_args(std::uint64_t a, std::uint64_t b,
                                                    std::uint32_t row, std::uint32_t column) {
    return {static_cast<std::uint32_t>(a),
            static_cast<std::uint32_t>(b),
            row,
            column,
            kInnerBlocks,
            kInner / 32,
            kColumns / 32};
}

}  // namespace metalium_programs
