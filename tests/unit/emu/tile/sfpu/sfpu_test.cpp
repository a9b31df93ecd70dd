// SPDX-License-Identifier: Apache-2.0
#include "emu/tile/sfpu.hpp"

#include <gtest/gtest.h>

#include "tests/unit/emu/tile/sfpu/every_bf16.hpp"

namespace tessera::tile {
namespace {

double exact_sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}
double exact_silu(double x) {
    return x < 0 ? x * std::exp(x) / (1 + std::exp(x)) : x / (1 + std::exp(-x));
}
double exact_gelu(double x) {
    return x / 2 * std::erfc(-x / std::sqrt(2.0));
}
double exact_gelu_tanh(double x) {
    // x/2·(1 + tanh y) = x/(1 + e^-2y)
    const double y = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
    return y < 0 ? x * std::exp(2 * y) / (1 + std::exp(2 * y)) : x / (1 + std::exp(-2 * y));
}

struct ExactFunction {
    const char* name;
    void (*function)(float*);
    double (*exact)(double);
    std::uint32_t mismatches_allowed;  ///< of 65 280 finite inputs, each by one step
};

class OnEveryBf16 : public testing::TestWithParam<ExactFunction> {};

TEST_P(OnEveryBf16, RoundsToTheNearestBf16OfTheExactFunction) {
    const ExactFunction& row = GetParam();

    const Mismatches found = on_every_bf16(row.function, row.exact);

    EXPECT_EQ(found.count, row.mismatches_allowed) << "first at " << found.first_input;
    EXPECT_LE(found.largest_steps, 1U) << "first at " << found.first_input;
}

INSTANTIATE_TEST_SUITE_P(
    Sfpu, OnEveryBf16,
    testing::Values(ExactFunction{"exp", sfpu::exp, std::exp, 0},
                    ExactFunction{"exp2", sfpu::exp2, std::exp2, 0},
                    ExactFunction{"sigmoid", sfpu::sigmoid, exact_sigmoid, 0},
                    ExactFunction{"silu", sfpu::silu, exact_silu, 0},
                    ExactFunction{"tanh", sfpu::tanh, std::tanh, 0},
                    ExactFunction{"gelu", sfpu::gelu, exact_gelu, 0},
                    ExactFunction{"gelu_tanh", sfpu::gelu_tanh, exact_gelu_tanh, 0},
                    ExactFunction{"log", sfpu::log, std::log, 0},
                    ExactFunction{"recip", sfpu::recip, [](double x) { return 1 / x; }, 0},
                    ExactFunction{"sqrt", sfpu::sqrt, std::sqrt, 0},
                    ExactFunction{"rsqrt", sfpu::rsqrt, [](double x) { return 1 / std::sqrt(x); },
                                  0},
                    ExactFunction{"square", sfpu::square, [](double x) { return x * x; }, 0}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Sfpu, GivesTheSameBytesOnEverySimdTarget) {
    const TileValues input = random_tile(7);
    for (const auto function : {sfpu::exp, sfpu::exp2, sfpu::sigmoid, sfpu::silu, sfpu::tanh,
                                sfpu::gelu, sfpu::gelu_tanh, sfpu::log, sfpu::rsqrt, sfpu::recip}) {
        TileValues best = input;
        function(best.data());
        on_each_simd_target([&](const char* target) {
            TileValues result = input;
            function(result.data());
            EXPECT_TRUE(same_bytes(result, best)) << target;
        });
    }
}

}  // namespace
}  // namespace tessera::tile
