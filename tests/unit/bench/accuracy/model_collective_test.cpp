// SPDX-License-Identifier: Apache-2.0
// Expected times: the bytes of the busiest link at 10 GB/s. Everything else takes no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

Model model() {
    const ArchSpec arch = testing::n150_arch();
    TimingSpec timing = testing::fast_timing(arch);
    timing.link = {.rate = BytesPerSecond{10e9},
                   .frame = Bytes{1500},
                   .max_payload = Bytes{4352},
                   .links_per_direction = 4,
                   .sender_slots = 8,
                   .receiver_slots = 8,
                   .router_processors = 1};
    return testing::without_ranges(arch, timing);
}

double all_to_all_time(const char* parameters) {
    const Row row{.workload = "DeepSeek MLA all to all", .metric = "device_time", .unit = "ns"};
    return predict_model_op(row, Parameters(parameters), model()).expected;
}

TEST(ModelAllToAll, SendsHalvesOfTilesTheShorterWayRound) {
    // 16 heads of 576 elements of each of 4 users travel 1, 2 and 3 devices, half of them 4, over 4
    // links.
    const double bytes = 4 * 16 * 576 * 2 * (1 + 2 + 3 + 4 / 2.0) / 4;
    EXPECT_NEAR(all_to_all_time("shape=1x32x16x576;placement=8 devices;dtype=BFLOAT16"), bytes / 10,
                bytes / 10 * 0.15);
}

TEST(ModelAllToAll, IsOfHeadsThatAreHalfATileHigh) {
    EXPECT_THROW((void)all_to_all_time("shape=1x32x32x576;placement=8 devices;dtype=BFLOAT16"),
                 NotExpressible);
}

// A line's last link carries 2048 columns of seven devices. Times of more tokens are those of 4096.
TEST(ModelPrefillGather, IsOf4096TokensWhereMoreAreStated) {
    const Row row{.workload = "Llama-3.3-70B prefill op all_gather_ffn_2",
                  .metric = "kernel_duration",
                  .unit = "ns"};
    const auto time = [&](std::uint32_t tokens) {
        const Parameters parameters("seq=" + std::to_string(tokens));
        return predict_model_op(row, parameters, model()).expected;
    };
    const auto expected = [](std::uint32_t tokens) {
        return tokens * 2048.0 * 17 / 16 * 7 / 8 / 3 / 10;
    };
    EXPECT_NEAR(time(1024), expected(1024), expected(1024) * 0.05);
    EXPECT_NEAR(time(4096), expected(4096), expected(4096) * 0.05);
    EXPECT_EQ(time(131072), time(4096));
}

}  // namespace
}  // namespace tessera::score
