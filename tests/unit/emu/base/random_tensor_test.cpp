// SPDX-License-Identifier: Apache-2.0
#include "emu/base/random_tensor.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>

#include "emu/base/bf16.hpp"
#include "emu/base/counted_random.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kSeed = 20240611;

// Computes the definition, one element at a time.
std::uint16_t element(std::uint64_t index, const NormalSequence& sequence) {
    const std::uint64_t key = random_word(sequence.seed, index >> 32);
    auto x = static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(key);
    x = (x ^ x >> 16) * 0x21F0AAADU ^ static_cast<std::uint32_t>(key >> 32);
    x = (x ^ x >> 15) * 0xD35A2D97U;
    x ^= x >> 15;
    std::uint32_t y = x + static_cast<std::uint32_t>(mix64(key));
    y = (y ^ y >> 17) * 0xED5AD4BBU;
    y = (y ^ y >> 11) * 0xAC4C1B51U;
    y ^= y >> 15;
    const auto sum = static_cast<int>((x & 0xFFFF) + (x >> 16) + (y & 0xFFFF) + (y >> 16));
    const auto scale = static_cast<float>(sequence.stddev / std::sqrt(4294967295.0 / 3));
    const volatile float scaled = static_cast<float>(sum - 131070) * scale;  // no fused add
    return float_to_bf16(scaled + sequence.mean);
}

std::vector<std::uint16_t> drawn(std::size_t count, std::uint64_t first,
                                 const NormalSequence& sequence) {
    std::vector<std::uint16_t> out(count);
    fill_normal_bf16(out, first, sequence);
    return out;
}

std::vector<std::uint16_t> defined(std::size_t count, std::uint64_t first,
                                   const NormalSequence& sequence) {
    std::vector<std::uint16_t> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = element(first + i, sequence);
    }
    return out;
}

TEST(RandomNormal, IsTheDefinedFunctionOfSeedAndIndexOnEveryTarget) {
    const NormalSequence sequence{kSeed, 0.25F, 3.0F};
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::GetChosenTarget().Update(target);
        EXPECT_EQ(drawn(1000, 5, sequence), defined(1000, 5, sequence)) << hwy::TargetName(target);
    }
    hwy::GetChosenTarget().DeInit();
}

TEST(RandomNormal, GivesTheSameElementsForAnySplitIntoRanges) {
    const NormalSequence sequence{kSeed, 0, 1};
    const std::vector<std::uint16_t> whole = drawn(1000, 0, sequence);

    std::vector<std::uint16_t> pieces;
    for (std::size_t first = 0, step = 1; first < 1000; first += step, ++step) {
        const std::size_t count = std::min<std::size_t>(step, 1000 - first);
        const std::vector<std::uint16_t> piece = drawn(count, first, sequence);
        pieces.insert(pieces.end(), piece.begin(), piece.end());
    }

    EXPECT_EQ(pieces, whole);
}

TEST(RandomNormal, CountsBeyondThirtyTwoBits) {
    const NormalSequence sequence{kSeed, 0, 1};
    const std::uint64_t first = (std::uint64_t{1} << 32) - 37;

    EXPECT_EQ(drawn(100, first, sequence), defined(100, first, sequence));
    EXPECT_NE(drawn(100, 0, sequence), drawn(100, std::uint64_t{1} << 32, sequence));
}

// Bounds are five standard errors of n = 2^20 draws.
TEST(RandomNormal, HasTheMomentsItPromises) {
    constexpr std::size_t n = std::size_t{1} << 20;
    double sum = 0;
    double squares = 0;
    double fourths = 0;
    for (const std::uint16_t bits : drawn(n, 0, {kSeed, 0, 1})) {
        const double x = bf16_to_float(bits);
        sum += x;
        squares += x * x;
        fourths += x * x * x * x;
        ASSERT_LE(std::abs(x), 3.469);  // √12 rounded up to bfloat16
    }
    EXPECT_NEAR(sum / n, 0, 5.0 / 1024);
    EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(1.7) / 1024);
    EXPECT_NEAR(fourths / n, 2.7, 0.05);
}

TEST(RandomNormal, HasNeighboursAndSeedsThatDoNotCorrelate) {
    constexpr std::size_t n = std::size_t{1} << 20;
    const auto a = drawn(n, 0, {kSeed, 0, 1});
    const auto b = drawn(n, 0, {kSeed + 1, 0, 1});
    double neighbours = 0;
    double seeds = 0;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        neighbours += double{bf16_to_float(a[i])} * bf16_to_float(a[i + 1]);
        seeds += double{bf16_to_float(a[i])} * bf16_to_float(b[i]);
    }
    EXPECT_NEAR(neighbours / n, 0, 5.0 / 1024);
    EXPECT_NEAR(seeds / n, 0, 5.0 / 1024);
}

TEST(RandomNormal, IsConstantWithoutSpread) {
    EXPECT_EQ(drawn(3, 0, {kSeed, 1.5F, 0}), (std::vector<std::uint16_t>(3, 0x3FC0)));
}

TEST(MakeNormalBf16, FillsAShapeFromIndexZero) {
    const NormalSequence sequence{kSeed, 0, 1};

    const HostTensor tensor = make_normal_bf16({3, 5}, sequence);

    EXPECT_EQ(tensor.shape, (Shape{3, 5}));
    EXPECT_TRUE(std::ranges::equal(tensor.as<std::uint16_t>(), drawn(15, 0, sequence)));
}

TEST(CountedRandom, PermutesAllNumbersOnce) {
    auto order = random_permutation(kSeed, 100);
    EXPECT_NE(order, random_permutation(kSeed + 1, 100));
    std::ranges::sort(order);
    for (std::uint32_t i = 0; i < 100; ++i) {
        EXPECT_EQ(order[i], i);
    }
    EXPECT_TRUE(random_permutation(kSeed, 0).empty());
}

TEST(CountedRandom, GivesNamesTheirOwnSeeds) {
    EXPECT_NE(seed_for(1, "gate_weights"), seed_for(1, "up_weights"));
    EXPECT_NE(seed_for(1, "gate_weights"), seed_for(2, "gate_weights"));
}

}  // namespace
}  // namespace tessera
