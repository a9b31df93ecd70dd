// SPDX-License-Identifier: Apache-2.0
// Expected times: the SFPU function on the longest path. Everything else takes no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

constexpr double kSilu = 10'000;

Model model() {
    const ArchSpec arch = testing::n150_arch();
    TimingSpec timing = testing::fast_timing(arch);
    timing.sfpu.functions = {{"silu", Cycles{kSilu}}};
    return testing::without_ranges(arch, timing);
}

double cycles(const char* workload, const char* parameters) {
    const Row row{.workload = workload, .metric = "kernel_duration", .unit = "cycles"};
    return predict_model_op(row, Parameters(parameters), model()).expected;
}

/// Allowance for other small times: bytes at 1000 B/cycle.
constexpr double kLittle = 200;

TEST(ModelSharded, CoresWorkOnTheirShardsAtOnce) {
    EXPECT_NEAR(cycles("multiply with SiLU", "shape=1x1x32x512;dtype=BFP8;machine=Galaxy 4U"),
                kSilu, kLittle);
    EXPECT_NEAR(cycles("Qwen3-32B decode op Binary_Mult_Silu", "machine=Galaxy 6U"), kSilu,
                kLittle);
    EXPECT_LT(
        cycles("Qwen3-32B decode op BinaryDeviceOperation_Last_Residual", "machine=Galaxy 4U"),
        kLittle);
}

TEST(ModelSharded, OfShardsThatDoNotFitIsRefused) {
    EXPECT_THROW((void)cycles("multiply with SiLU", "shape=32x1024;machine=Galaxy 4U"),
                 NotExpressible);
    EXPECT_THROW((void)cycles("multiply with SiLU", "shape=64x512;machine=Galaxy 4U"),
                 NotExpressible);
    EXPECT_THROW((void)cycles("multiply with SiLU", "shape=32x512;machine=n150"), NotExpressible);
}

}  // namespace
}  // namespace tessera::score
