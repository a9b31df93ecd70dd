// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/fidelity.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/emu/tile/tiles.hpp"

namespace tessera::tile {
namespace {

constexpr float kAllOnes = 0x1.FFFFFEp+0F;  // hidden bit and 23 ones

TEST(Slices, HoldTheBitsOfTheMultiplierTable) {
    EXPECT_EQ(slice_of(Source::SrcA, Slice::High, kAllOnes), 0x1.Fp+0F);   // 1 + 4 bits
    EXPECT_EQ(slice_of(Source::SrcA, Slice::Low, kAllOnes), 0x0.0F8p+0F);  // the next 5
    EXPECT_EQ(slice_of(Source::SrcA, Slice::Full, kAllOnes), 0x1.FF8p+0F);
    EXPECT_EQ(slice_of(Source::SrcB, Slice::High, kAllOnes), 0x1.FCp+0F);  // 1 + 6 bits
    EXPECT_EQ(slice_of(Source::SrcB, Slice::Low, kAllOnes), 0x0.03Cp+0F);  // the remaining 4
    EXPECT_EQ(slice_of(Source::SrcB, Slice::Full, kAllOnes), 0x1.FFCp+0F);
}

TEST(Slices, LowPartOfInfinityIsZero) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(slice_of(Source::SrcB, Slice::Low, kInfinity), 0.0F);
    EXPECT_EQ(slice_of(Source::SrcB, Slice::High, -kInfinity), -kInfinity);
}

TEST(Slices, OfATileAreThoseOfItsElementsOnEverySimdTarget) {
    TileValues in = random_tile(1);
    in[3] = -std::numeric_limits<float>::infinity();
    in[4] = std::numeric_limits<float>::quiet_NaN();
    in[5] = -0.0F;
    on_each_simd_target([&](const char* target) {
        for (const Source source : {Source::SrcA, Source::SrcB}) {
            for (const Slice slice : {Slice::High, Slice::Low, Slice::Full}) {
                TileValues expected;
                for (std::size_t i = 0; i < kTileElements; ++i) {
                    expected[i] = slice_of(source, slice, in[i]);
                }
                TileValues out;
                slice_tile(in.data(), source, slice, out.data());
                EXPECT_TRUE(same_bytes(out, expected)) << target;
            }
        }
    });
}

TEST(Slices, OfABf16TileInMemoryAreThoseOfItsValues) {
    const TileValues in = random_bf16_tile(2);
    for (const Slice slice : {Slice::High, Slice::Low, Slice::Full}) {
        TileValues expected;
        TileValues out;
        slice_tile(in.data(), Source::SrcA, slice, expected.data());
        slice_bf16_tile(bf16_bytes(in).data(), Source::SrcA, slice, out.data());
        EXPECT_TRUE(same_bytes(out, expected));
    }
}

TEST(Phases, AreOneToFourByFidelity) {
    EXPECT_EQ(fidelity_phases(MathFidelity::LoFi).size(), 1U);
    EXPECT_EQ(fidelity_phases(MathFidelity::HiFi2).size(), 2U);
    EXPECT_EQ(fidelity_phases(MathFidelity::HiFi3).size(), 3U);
    EXPECT_EQ(fidelity_phases(MathFidelity::HiFi4).size(), 4U);
}

double sum_of_products(std::span<const FidelityPass> passes, float a, float b) {
    double sum = 0;
    for (const FidelityPass pass : passes) {
        sum += static_cast<double>(slice_of(Source::SrcA, pass.srca, a)) *
               static_cast<double>(slice_of(Source::SrcB, pass.srcb, b));
    }
    return sum;
}

TEST(Phases, MergedPassesAddUpToTheSameProducts) {
    for (const auto fidelity :
         {MathFidelity::LoFi, MathFidelity::HiFi2, MathFidelity::HiFi3, MathFidelity::HiFi4}) {
        EXPECT_EQ(sum_of_products(fidelity_passes(fidelity), 1.2345F, -6.789F),
                  sum_of_products(fidelity_phases(fidelity), 1.2345F, -6.789F))
            << name_of(fidelity);
    }
}

TEST(Tf32, KeepsElevenSignificantBits) {
    TileValues tile = make_tile([](auto, auto) { return kAllOnes; });

    truncate_to_tf32_tile(tile.data());

    EXPECT_EQ(tile[0], 0x1.FFCp+0F);
    EXPECT_EQ(tile[1023], 0x1.FFCp+0F);
}

}  // namespace
}  // namespace tessera::tile
