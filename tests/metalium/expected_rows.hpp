// SPDX-License-Identifier: Apache-2.0
// Results of kernels that work on rows of 32 columns, for both generations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tt-metalium/bfloat16.hpp>
#include <vector>

namespace metalium_programs {

inline constexpr std::size_t kRowLength = 32;

/// Returns rows of `tiles` tiles, each with another mean and spread.
inline std::vector<bfloat16> uneven_rows(std::size_t tiles) {
    std::vector<bfloat16> numbers;
    for (std::size_t i = 0; i < tiles * kRowLength * kRowLength; ++i) {
        const std::size_t row = i / kRowLength;
        numbers.emplace_back(static_cast<float>(row % 5) +
                             static_cast<float>(i * 37 % 101) / static_cast<float>(8 << row % 3));
    }
    return numbers;
}

/// Returns whether each row of `output` is that of `input` with mean 0 and variance 1.
inline bool is_layer_norm(const std::vector<bfloat16>& output, const std::vector<bfloat16>& input) {
    bool is_right = output.size() == input.size();
    for (std::size_t row = 0; is_right && row < input.size(); row += kRowLength) {
        float mean = 0;
        float squares = 0;
        for (std::size_t i = row; i < row + kRowLength; ++i) {
            mean += static_cast<float>(input[i]) / kRowLength;
        }
        for (std::size_t i = row; i < row + kRowLength; ++i) {
            squares += std::pow(static_cast<float>(input[i]) - mean, 2.0F) / kRowLength;
        }
        for (std::size_t i = row; i < row + kRowLength; ++i) {
            const float expected =
                (static_cast<float>(input[i]) - mean) / std::sqrt(squares + 1.0F / 1024);
            is_right = is_right && std::abs(static_cast<float>(output[i]) - expected) <
                                       0.03F + 0.03F * std::abs(expected);
        }
    }
    return is_right;
}

/// Returns whether neighbours.cpp made `output` of `input`: sums in even columns; distances in odd
/// ones, limited to 30, else one more, and -1 for equal neighbours.
inline bool joins_neighbours(const std::vector<bfloat16>& output,
                             const std::vector<bfloat16>& input) {
    bool is_right = output.size() == input.size();
    for (std::size_t i = 0; is_right && i < input.size(); i += 2) {
        const float even = static_cast<float>(input[i]);
        const float odd = static_cast<float>(input[i + 1]);
        const float distance = std::abs(even - odd);
        const float expected = distance > 30.0F ? 30.0F : distance == 0.0F ? -1.0F : distance + 1;
        is_right = static_cast<float>(output[i]) == even + odd &&
                   static_cast<float>(output[i + 1]) == expected;
    }
    return is_right;
}

}  // namespace metalium_programs
