// SPDX-License-Identifier: Apache-2.0
// Functions that a formula defines: values from tables of mathematics, and integers by hand.
#include "tessera/kernel/compute/sfpu_formulas.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "emu/core/dst.hpp"
#include "tests/compute_core.hpp"

namespace tessera {
namespace {

using testing::ComputeCore;

/// Fills DST tiles with a value each and returns the first element after `call`.
template <class Call>
float after(std::initializer_list<float> values, std::uint32_t out, Call call) {
    ComputeCore core;
    tile_regs_acquire();
    std::uint32_t index = 0;
    for (const float value : values) {
        fill_tile(index++, value);
    }
    call();
    return *core.thread().compute->dst.update(out, "test", {});
}

/// The same of integers.
template <class Call>
std::int32_t after_integers(std::initializer_list<std::int32_t> values, std::uint32_t out,
                            Call call) {
    ComputeCore core;
    tile_regs_acquire();
    std::uint32_t index = 0;
    for (const std::int32_t value : values) {
        fill_tile_int(index++, static_cast<std::uint32_t>(value));
    }
    call();
    return std::bit_cast<std::int32_t>(
        *core.thread().compute->dst.update(out, "test", {}, DstContent::Integer));
}

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

// sin(π/2) = 1, so that the wave is 1 / beta high there.
TEST(Formulas, SnakeAddsASquaredSine) {
    EXPECT_FLOAT_EQ(after({3.0F, static_cast<float>(M_PI) / 6, 4.0F, 0.0F}, 3,
                          [] {
                              snake_beta_tile_init();
                              snake_beta_tile(0, 1, 2, 3);
                          }),
                    3.25F);
}

// ln Γ(5) = ln 24, and Γ(-0.5) = -2·√π.
TEST(Formulas, LogarithmOfGammaReflectsBelowOneHalf) {
    EXPECT_FLOAT_EQ(after({5.0F}, 0, [] { lgamma_stirling_tile(0); }), std::log(24.0F));
    EXPECT_FLOAT_EQ(after({5.0F, 0.0F, 0.0F}, 2, [] { lgamma_stirling_float_tile(0, 1, 2); }),
                    std::log(24.0F));
    const float of_reflected = after({-0.5F}, 0, [] { lgamma_stirling_tile(0); });
    // ln |sin(-π/2)| is 0.
    EXPECT_FLOAT_EQ(
        after({of_reflected, 0.0F, -0.5F, 0.0F}, 3, [] { lgamma_adjusted_tile(0, 1, 2, 3); }),
        std::log(2.0F * std::sqrt(static_cast<float>(M_PI))));
}

TEST(Formulas, OfOneTileAreThoseOfMathematics) {
    EXPECT_FLOAT_EQ(after({1.5707964F}, 0, [] { sin_tile(0); }), 1.0F);
    EXPECT_FLOAT_EQ(after({3.1415927F}, 0, [] { cos_tile(0); }), -1.0F);
    EXPECT_FLOAT_EQ(after({1.0F}, 0, [] { atan_tile(0); }), 0.7853982F);
    EXPECT_FLOAT_EQ(after({1.0F}, 0, [] { sinh_tile(0); }), 1.1752012F);
    EXPECT_FLOAT_EQ(after({2.0F}, 0, [] { acosh_tile(0); }), 1.3169579F);
    EXPECT_FLOAT_EQ(after({1.0F}, 0, [] { expm1_tile(0); }), 1.7182818F);
    EXPECT_FLOAT_EQ(after({1.0F}, 0, [] { log1p_tile(0); }), 0.6931472F);
    EXPECT_FLOAT_EQ(after({-27.0F}, 0, [] { cbrt_tile(0); }), -3.0F);
    EXPECT_FLOAT_EQ(after({0.5F}, 0, [] { erf_tile(0); }), 0.5204999F);
    EXPECT_FLOAT_EQ(after({0.5204999F}, 0, [] { erfinv_tile(0); }), 0.5F);
    EXPECT_FLOAT_EQ(after({1.0F}, 0, [] { i0_tile(0); }), 1.2660659F);
    EXPECT_FLOAT_EQ(after({1.0F}, 0, [] { i1_tile(0); }), 0.5651591F);
    EXPECT_FLOAT_EQ(after({1.0F}, 0, [] { digamma_tile(0); }), -0.5772157F);
}

TEST(Formulas, OfActivationsHaveBothBranches) {
    EXPECT_FLOAT_EQ(after({-1.0F}, 0, [] { elu_tile(0, bits(2.0F)); }), 2 * -0.6321206F);
    EXPECT_FLOAT_EQ(after({3.0F}, 0, [] { elu_tile(0, bits(2.0F)); }), 3.0F);
    EXPECT_FLOAT_EQ(after({-4.0F}, 0, [] { hardsigmoid_tile(0); }), 0.0F);
    EXPECT_FLOAT_EQ(after({0.0F}, 0, [] { hardsigmoid_tile(0); }), 0.5F);
    EXPECT_FLOAT_EQ(after({-3.0F}, 0, [] { softshrink_tile(0, bits(1.0F)); }), -2.0F);
    EXPECT_FLOAT_EQ(after({0.5F}, 0, [] { softshrink_tile(0, bits(1.0F)); }), 0.0F);
    EXPECT_FLOAT_EQ(after({5.0F}, 0, [] { clamp_tile(0, bits(-1.0F), bits(1.0F)); }), 1.0F);
    EXPECT_FLOAT_EQ(after({0.0F}, 0, [] { softplus_tile(0, bits(1.0F), bits(1.0F), bits(20.0F)); }),
                    0.6931472F);
}

TEST(Formulas, OfRoundingAndOfQuestions) {
    EXPECT_EQ(after({-1.5F}, 0, [] { floor_tile(0); }), -2.0F);
    EXPECT_EQ(after({-1.5F}, 0, [] { trunc_tile(0); }), -1.0F);
    EXPECT_EQ(after({-1.5F}, 0, [] { frac_tile(0); }), -0.5F);
    EXPECT_EQ(after({std::nanf("")}, 0, [] { isnan_tile(0); }), 1.0F);
    EXPECT_EQ(after({-std::numeric_limits<float>::infinity()}, 0, [] { isposinf_tile(0); }), 0.0F);
    EXPECT_EQ(after({-0.0F}, 0, [] { signbit_tile(0); }), 1.0F);
    EXPECT_EQ(after({-7.0F}, 0, [] { remainder_tile(0, bits(3.0F), bits(1.0F / 3)); }), 2.0F);
    EXPECT_EQ(after({-7.0F}, 0, [] { fmod_tile(0, bits(3.0F), bits(1.0F / 3)); }), -1.0F);
}

TEST(Formulas, OfTwoAndThreeTilesWriteTheThird) {
    EXPECT_EQ(after({2.0F, 2.0F, 9.0F}, 2, [] { eq_binary_tile(0, 1, 2); }), 1.0F);
    EXPECT_EQ(after({2.0F, 3.0F, 9.0F}, 2, [] { gt_binary_tile(0, 1, 2); }), 0.0F);
    EXPECT_EQ(after({0.0F, 0.0F, 9.0F}, 2, [] { xlogy_binary_tile(0, 1, 2); }), 0.0F);
    EXPECT_EQ(after({1.0F, 2.0F, 3.0F}, 0, [] { addcmul_tile(0, 1, 2, 0, bits(0.5F)); }), 4.0F);
    EXPECT_EQ(after({1.0F, 3.0F, 0.5F}, 1, [] { lerp_tile(0, 1, 2, 1); }), 2.0F);
}

TEST(Formulas, OfIntegersWrapAndKeepTheirSign) {
    EXPECT_EQ(after_integers({-5}, 0, [] { abs_tile_int32(0); }), 5);
    EXPECT_EQ(after_integers({-5}, 0, [] { unary_lt_tile_int32(0, 0); }), 1);
    EXPECT_EQ(after_integers({-8}, 0, [] { right_shift_tile(0, 1); }), -4);
    EXPECT_EQ(after_integers({12}, 0, [] { bitwise_and_tile<DataFormat::UInt32>(0, 6); }), 4);
    EXPECT_EQ(after_integers({12, 18, 0}, 2, [] { gcd_tile(0, 1, 2); }), 6);
    EXPECT_EQ(after_integers({4, 6, 0}, 2, [] { lcm_tile(0, 1, 2); }), 12);
    EXPECT_EQ(after_integers({-7, 2, 0}, 2, [] { div_int32_floor_tile(0, 1, 2); }), -4);
    EXPECT_EQ(after_integers({-7, 2, 0}, 2, [] { div_int32_trunc_tile(0, 1, 2); }), -3);
    EXPECT_EQ(after_integers({-7, 3, 0}, 2, [] { remainder_int32_tile(0, 1, 2); }), 2);
    EXPECT_EQ(after_integers({-1, 1, 0}, 2, [] { binary_max_int32_tile(0, 1, 2); }), 1);
    EXPECT_EQ(after_integers({-1, 1, 0}, 2, [] { binary_max_uint32_tile(0, 1, 2); }), -1);
}

TEST(Formulas, OfIntegersRefuseFloats) {
    ComputeCore core;
    tile_regs_acquire();
    fill_tile(0, 1.0F);
    EXPECT_EQ(testing::fault_of([] { abs_tile_int32(0); }),
              "UndefinedBehavior: abs_tile_int32: DST tile 0 holds floats, not integers; "
              "typecast_tile converts");
}

TEST(Formulas, RoundForA16BitDst) {
    ComputeCore core{ComputeConfig{}};
    tile_regs_acquire();
    fill_tile(0, 1.0F);
    expm1_tile(0);
    // The bfloat16 numbers next to e − 1 = 1.71828… are 1.7109375 and 1.71875.
    EXPECT_EQ(*core.thread().compute->dst.update(0, "test", {}), 1.71875F);
}

}  // namespace
}  // namespace tessera
