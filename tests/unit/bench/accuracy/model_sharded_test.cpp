// SPDX-License-Identifier: Apache-2.0
// Expected times: the SFPU functions on the longest path. Everything else takes no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

constexpr double kSilu = 10'000;
constexpr double kRsqrt = 20'000;

Model model() {
    const ArchSpec arch = testing::n150_arch();
    TimingSpec timing = testing::fast_timing(arch);
    timing.sfpu.functions = {{"rsqrt", Cycles{kRsqrt}}, {"silu", Cycles{kSilu}}};
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

TEST(ModelSharded, TheScaleOfANormIsWorkedOutOnOneCoreForAll) {
    EXPECT_NEAR(cycles("DeepSeek MLA rms norm q", "shape=32x1536;placement=16 cores"), kRsqrt,
                kLittle);
    EXPECT_NEAR(cycles("layernorm (RMS)", "shape=32x2048;cores=16 (2x8);machine=Galaxy 4U"), kRsqrt,
                2 * kLittle);
}

TEST(ModelSharded, RotaryEmbeddingHasUsersInRowsOfEightCores) {
    constexpr const char* kHeads = "q_heads=8;kv_heads=1;head=128";
    EXPECT_LT(cycles("rotary fused QK", fmt::format("batch=8;{}", kHeads).c_str()), kLittle);
    EXPECT_LT(cycles("Qwen3-32B decode op RotaryEmbeddingLlamaFusedQK", "machine=Galaxy 4U"),
              kLittle);
    EXPECT_THROW((void)cycles("rotary fused QK", fmt::format("batch=9;{}", kHeads).c_str()),
                 NotExpressible);
    EXPECT_THROW((void)cycles("rotary fused QK", fmt::format("batch=40;{}", kHeads).c_str()),
                 NotExpressible);
}

TEST(ModelSharded, OfShardsThatDoNotFitIsRefused) {
    EXPECT_THROW((void)cycles("multiply with SiLU", "shape=32x1024;machine=Galaxy 4U"),
                 NotExpressible);
    EXPECT_THROW((void)cycles("multiply with SiLU", "shape=64x512;machine=Galaxy 4U"),
                 NotExpressible);
    EXPECT_THROW((void)cycles("multiply with SiLU", "shape=32x512;machine=n150"), NotExpressible);
    EXPECT_THROW((void)cycles("layernorm (RMS)", "shape=32x2048;cores=32"), NotExpressible);
    EXPECT_THROW((void)cycles("layernorm (RMS)", "shape=32x2000"), NotExpressible);
}

}  // namespace
}  // namespace tessera::score
