// SPDX-License-Identifier: Apache-2.0
// Expected times: the configured time of one read or write, times the number of them on one core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/accuracy/programs/families.hpp"
#include "tests/unit/bench/accuracy/small_model.hpp"

namespace tessera::score {
namespace {

constexpr double kSlow = 100'000;  // dominates all other times

double times(Cycles RiscTiming::*slow, const char* workload, const char* parameters) {
    const ArchSpec arch = testing::n150_arch();
    TimingSpec timing = testing::fast_timing(arch);
    timing.risc.*slow = Cycles{kSlow};
    const Row row{.arch = "wormhole", .workload = workload, .metric = "time", .unit = "cycles"};
    const Model model = testing::without_ranges(arch, timing);
    return predict_model_op(row, Parameters(parameters), model).expected / kSlow;
}

constexpr const char* kUpdate = "paged update cache";
constexpr const char* kSharded = "users=8;head=128;seq=2048;cache=BFP8;machine=Galaxy 6U";
constexpr const char* kInDram = "users=8;head=128;seq=2048;cache=BFP8;machine=Galaxy 4U";

TEST(ModelEmbeddings, ACoreReadsTheTokensAndAPieceOfEachRow) {
    EXPECT_NEAR(times(&RiscTiming::read_issue_dram, "embeddings", "batch=32;width=2048"), 33, 1);
}

TEST(ModelEmbeddings, AnotherBatchIsRefused) {
    EXPECT_THROW((void)times(&RiscTiming::read_issue, "embeddings", "batch=16;width=2048"),
                 NotExpressible);
}

TEST(ModelCacheUpdate, ACoreReadsTheFourTilesOfAHead) {
    EXPECT_NEAR(times(&RiscTiming::read_issue_dram, kUpdate, kSharded), 4, 0.1);
}

TEST(ModelCacheUpdate, ThePositionsAndTheUsersBlocksAreTwoReadsMoreOutOfDram) {
    EXPECT_NEAR(times(&RiscTiming::read_issue_dram, kUpdate, kInDram), 6, 0.1);
}

TEST(ModelCacheUpdate, ACoreWritesTheFourTilesBack) {
    EXPECT_NEAR(times(&RiscTiming::write_issue, kUpdate, kSharded), 4, 0.1);
}

TEST(ModelCacheUpdate, HeadsOfAnotherWidthAreRefused) {
    EXPECT_THROW(
        (void)times(&RiscTiming::write_issue, kUpdate, "users=8;head=64;seq=2048;cache=BFP8"),
        NotExpressible);
}

}  // namespace
}  // namespace tessera::score
