// SPDX-License-Identifier: Apache-2.0
// Large inputs of golden files that are not stored: a formula computes each number from its index.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "tessera/tensor.hpp"

namespace tessera::golden {

/// Returns bfloat16 numbers (2 b − 255) · 2^-shift; b is the top 8 bits of splitmix64 with the
/// state seed · 2^32 + i.
inline HostTensor hashed(Shape shape, std::uint64_t seed, int shift) {
    HostTensor tensor = make_host_tensor(std::move(shape), DataFormat::Float16_b);
    const auto out = tensor.as<std::uint16_t>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::uint64_t z = (seed << 32U) + i + 0x9E3779B97F4A7C15ULL;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        const auto byte = static_cast<int>((z ^ (z >> 31U)) >> 56U);
        const float value = std::ldexp(static_cast<float>(2 * byte - 255), -shift);
        out[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16U);
    }
    return tensor;
}

}  // namespace tessera::golden
