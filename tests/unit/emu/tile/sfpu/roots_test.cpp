// SPDX-License-Identifier: Apache-2.0
// Reciprocal and root against the host's division and root, which IEEE 754 rounds correctly.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "emu/tile/sfpu.hpp"
#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

using Function = void (*)(float*);
using Exact = float (*)(float);

float divided(float x) {
    return 1.0F / x;
}
float rooted(float x) {
    return std::sqrt(x);
}

/// Counts the inputs in one tile of patterns from `first` on whose result differs from `exact`.
std::uint32_t mismatches(Function function, Exact exact, std::uint32_t first) {
    TileValues inputs;
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        inputs[i] = std::bit_cast<float>(first + i);
    }
    TileValues results = inputs;
    function(results.data());
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < kTileElements; ++i) {
        const float want = exact(inputs[i]);
        const bool is_same =
            std::bit_cast<std::uint32_t>(results[i]) == std::bit_cast<std::uint32_t>(want);
        found += is_same || (std::isnan(results[i]) && std::isnan(want)) ? 0 : 1;
    }
    return found;
}

std::uint32_t mismatches_of_exponent(Function function, Exact exact, std::uint32_t exponent) {
    std::uint32_t found = 0;
    for (std::uint32_t low = 0; low < 1U << 23; low += kTileElements) {
        found += mismatches(function, exact, exponent << 23 | low);
    }
    return found;
}

TEST(SfpuRoots, ReciprocalOfEverySignificandIsCorrectlyRounded) {
    EXPECT_EQ(mismatches_of_exponent(sfpu::recip, divided, 127), 0U);
    EXPECT_EQ(mismatches_of_exponent(sfpu::recip, divided, 0x100 + 150), 0U) << "negative";
}

TEST(SfpuRoots, RootOfEverySignificandIsCorrectlyRoundedAtEvenAndOddExponents) {
    EXPECT_EQ(mismatches_of_exponent(sfpu::sqrt, rooted, 127), 0U);
    EXPECT_EQ(mismatches_of_exponent(sfpu::sqrt, rooted, 128), 0U);
}

TEST(SfpuRoots, EveryExponentAndSignKeepsTheRounding) {
    for (std::uint32_t top = 0; top < 0x200; ++top) {
        for (const std::uint32_t low : {0U, 0x3FFC00U, 0x7FFC00U}) {
            EXPECT_EQ(mismatches(sfpu::recip, divided, top << 23 | low), 0U) << "exponent " << top;
            EXPECT_EQ(mismatches(sfpu::sqrt, rooted, top << 23 | low), 0U) << "exponent " << top;
        }
    }
}

}  // namespace
}  // namespace tessera::tile
