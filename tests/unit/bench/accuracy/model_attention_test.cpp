// SPDX-License-Identifier: Apache-2.0
// Expected times: the bytes that a user's core receives, at one byte per cycle. Everything else
// takes no time.
#include <gtest/gtest.h>

#include <string>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

Model model() {
    const ArchSpec arch = testing::n150_arch();
    TimingSpec timing = testing::fast_timing(arch);
    timing.noc.ejection_rate = BytesPerCycle{1};
    return testing::without_ranges(arch, timing);
}

double predicted(const char* parameters) {
    const Row row{.workload = "SDPA decode", .metric = "kernel_duration", .unit = "cycles"};
    return predict_model_op(row, Parameters(parameters), model()).expected;
}

// Keys and values of 128 positions, 17 B for 16 elements of BFP8, whatever the cache holds.
// Including reads from the core itself, this is less than 512 positions would take.
TEST(ModelAttention, ReadsOneChunkOfKeysAndValues) {
    const double bytes = 2 * 128 * 128 * 17 / 16.0;
    for (const char* cache : {"1024", "4096"}) {
        const std::string parameters = std::string("batch=8;q_heads=8;kv_heads=1;seq=") + cache +
                                       ";head=128;cache=BFP8;cores=32";
        const double time = predicted(parameters.c_str());
        EXPECT_GT(time, bytes);
        EXPECT_LT(time, bytes * 4);
    }
}

TEST(ModelAttention, IsOfHeadsThatShareTheirKeys) {
    EXPECT_THROW(
        (void)predicted("batch=8;q_heads=8;kv_heads=2;seq=4096;head=128;cache=BFP8;cores=32"),
        NotExpressible);
}

}  // namespace
}  // namespace tessera::score
