// SPDX-License-Identifier: Apache-2.0
// Products of models against the required data movement: how far shards travel, and the rate of
// banks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

TimingSpec timing() {
    return testing::fast_timing(testing::n150_arch());
}

double cycles(const std::string& workload, const std::string& parameters,
              const TimingSpec& timing) {
    const Row row{.workload = workload, .metric = "kernel_duration", .unit = "cycles"};
    return predict_model_op(row, Parameters(parameters),
                            testing::without_ranges(testing::n150_arch(), timing))
        .expected;
}

double ring_cycles(const std::string& shape, const TimingSpec& timing) {
    return cycles("ring matmul with gathered in0, qkv",
                  "M=32;" + shape + ";in0=BFLOAT16;in1=BFP8;fidelity=HiFi2;ring_cores=24", timing);
}

double linear_cycles(const std::string& name, const std::string& shape, const TimingSpec& timing) {
    return cycles("DeepSeek MLA linear " + name, "dtype=BFLOAT16;shape=" + shape, timing);
}

// 24 shards of two tiles of 2048 B. The shard that reaches its last core over the hop core takes 24
// hops. Each hop begins when the shard has arrived.
TEST(RingMatmul, AShardTravelsHopByHopAroundTheRing) {
    TimingSpec slow = timing();
    slow.noc.write_rate = BytesPerCycle{1};
    constexpr double kHops = 24.0 * 2 * 2048;
    EXPECT_NEAR(ring_cycles("K=1536;N=768", slow) / kHops, 1, 0.01);
}

// Weights are already in L1: more of them add no transfer.
TEST(RingMatmul, ColumnsOfIn1StayWhereTheyAre) {
    TimingSpec slow = timing();
    slow.noc.write_rate = BytesPerCycle{1};
    EXPECT_NEAR(ring_cycles("K=1536;N=3072", slow) / ring_cycles("K=1536;N=768", slow), 1, 0.01);
}

TEST(RingMatmul, AnotherRingIsRefused) {
    const Row row{.workload = "ring matmul with gathered in0, qkv", .unit = "cycles"};
    const Parameters parameters("M=32;K=1536;N=768;in0=BFP8;in1=BFP8;fidelity=HiFi2;ring_cores=32");
    EXPECT_THAT(
        [&] {
            (void)predict_model_ring_matmul(
                row, parameters, testing::without_ranges(testing::n150_arch(), timing()));
        },
        ::testing::ThrowsMessage<NotExpressible>("a ring of 32 cores: only that of 24 is known"));
}

// 1536 × 3072 elements of 2 B from 12 banks of 1 B/cycle each; no element is read twice.
TEST(ModelMatmul, EachCoreReadsItsOwnColumnsOnce) {
    TimingSpec slow = timing();
    slow.dram.bank_read_rate = BytesPerCycle{1};
    constexpr double kOfABank = 1536.0 * 3072 * 2 / 12;
    const double taken = linear_cycles("wq_b", "32x1536 @ 1536x3072", slow);
    EXPECT_GE(taken, kOfABank);
    EXPECT_LE(taken, 1.25 * kOfABank);
}

// in1 has 64 tiles of 2048 B, at most 6 per bank. Each of 128 rows of output reads all of them.
TEST(ModelMatmul, EachOutputTileReadsItsColumnOfIn1Again) {
    TimingSpec slow = timing();
    slow.dram.bank_read_rate = BytesPerCycle{1};
    constexpr double kOfABank = 6.0 * 128 * 2048;
    const double taken = linear_cycles("wkv_b2", "1x128x4x512 @ 512x128", slow);
    EXPECT_GE(taken, kOfABank);
    EXPECT_LE(taken, 1.5 * kOfABank);  // banks are idle at times: a core waits for each tile
}

// In 4096 × 2048 by 2048 × 3584, each of 7×7 cores has 20 × 64 × 16 tile products of one phase
// each.
TEST(ModelMatmul, PrefillMultipliesOnFortyNineCores) {
    TimingSpec slow = timing();
    slow.compute.matmul_phase = Cycles{16};
    constexpr double kProducts = 20.0 * 64 * 16 * 16;
    const double taken = cycles("Llama-3.3-70B prefill op matmul_ffn_1", "", slow);
    EXPECT_GE(taken, kProducts);
    EXPECT_LE(taken, 1.1 * kProducts);
}

TEST(ModelMatmul, PrefillOfFewerTokensIsRefused) {
    EXPECT_THAT([] { (void)cycles("Llama-3.3-70B prefill op matmul_ffn_1", "seq=128", timing()); },
                ::testing::ThrowsMessage<NotExpressible>("blocks of 128 tokens are not known"));
}

TEST(ModelMatmul, AProductThatTheTestDoesNotNameIsRefused) {
    EXPECT_THAT([] { (void)linear_cycles("w1", "32x1536 @ 1536x3072", timing()); },
                ::testing::ThrowsMessage<NotExpressible>("where w1 has its tensors is not known"));
}

}  // namespace
}  // namespace tessera::score
