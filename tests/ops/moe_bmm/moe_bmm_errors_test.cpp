// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/moe_bmm/moe_bmm.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"
#include "tests/ops/one_page_tensor.hpp"

namespace tessera::ops::moe_bmm {
namespace {

using testing::one_page_tensor;

/// Two experts, 40 tokens, 80 · 96. A test spoils one of them.
struct Spoilable {
    DeviceTensor input = one_page_tensor({2, 40, 80}, DataFormat::Float16_b, Layout::TILE);
    DeviceTensor weights = one_page_tensor({2, 80, 96}, DataFormat::Float16_b, Layout::TILE);
    DeviceTensor counts = one_page_tensor({2, 1}, DataFormat::UInt32, Layout::ROW_MAJOR);
    std::vector<std::uint32_t> host_counts{40, 3};
    DeviceTensor output = one_page_tensor({2, 40, 96}, DataFormat::Float16_b, Layout::TILE);
    MoeBmmSpec schedule{
        .split_by = SplitBy::Host, .grid = {}, .k_block = 2, .subblock = {2, 2}, .cb_depth = 2};

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)call_program(op(), testing::small_arch(), &schedule, {input, weights, counts},
                               {output}, host_counts);
        });
    }
};

TEST(MoeBmmErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(MoeBmmErrors, NamesWeightsOfAnotherInnerExtent) {
    Spoilable test;
    test.weights.spec.shape = {2, 96, 96};
    EXPECT_EQ(
        test.message(),
        "moe_bmm: expert_weights is (2,96,96) bfloat16 TILE; allowed: (2,80,H_out) bfloat16 TILE");
}

TEST(MoeBmmErrors, NamesCountsAboveTheTokens) {
    Spoilable test;
    test.host_counts = {40, 41};
    EXPECT_EQ(test.message(),
              "moe_bmm: num_routed_tokens of expert 1 is 41; allowed: at most 40, the rows of the "
              "tensor");
}

TEST(MoeBmmErrors, NamesAMissingCount) {
    Spoilable test;
    test.host_counts = {40};
    EXPECT_EQ(test.message(),
              "moe_bmm: num_routed_tokens has 1 counts on the host; allowed: 2, one an expert");
}

TEST(MoeBmmErrors, NamesASubblockLargerThanHalfOfDst) {
    Spoilable test;
    test.schedule.subblock = {1, 5};
    EXPECT_EQ(test.message(),
              "moe_bmm: subblock has 5 tiles; half of DST holds 1 to 4 with fp32_dest_acc true");
}

TEST(MoeBmmErrors, Bfloat16DstHoldsTwiceTheSubblock) {
    Spoilable test;
    test.schedule.subblock = {1, 8};
    test.schedule.fp32_dest_acc = false;
    EXPECT_EQ(test.message(), "(nothing thrown)");
    test.schedule.subblock = {3, 3};
    EXPECT_EQ(test.message(),
              "moe_bmm: subblock has 9 tiles; half of DST holds 1 to 8 with fp32_dest_acc false");
}

TEST(MoeBmmErrors, NamesABlockOfNoK) {
    Spoilable test;
    test.schedule.k_block = 0;
    EXPECT_EQ(test.message(), "moe_bmm: k_block is 0; allowed: at least 1");
}

TEST(MoeBmmErrors, NamesAGridLargerThanTheDevice) {
    Spoilable test;
    test.schedule.grid = {3, 1};
    EXPECT_EQ(
        test.message(),
        "moe_bmm: grid [3, 1] is not part of the test_arch's grid; allowed: [0, 0], which is all "
        "of it, or [1, 1] to [2, 2]");
}

// 200 × 2 × 4 tiles of 2048 B, plus 9 tiles, 4 counts of 32 B and 64 B. L1 has 1499136 − 103712 B.
TEST(MoeBmmErrors, NamesAKBlockThatL1DoesNotHold) {
    Spoilable test;
    test.schedule.k_block = 200;
    EXPECT_EQ(test.message(),
              "moe_bmm: k_block 200 with cb_depth 2 and subblock 2x2 takes 3295424 B of circular "
              "buffers; a core has 1395424 B of L1 for them");
}

TEST(MoeBmmErrors, NamesASplitOfKThatTheHostWouldDeal) {
    Spoilable test;
    test.schedule.subblock = {1, 3};
    test.schedule.k_split = 2;
    EXPECT_EQ(test.message(), "moe_bmm: k_split is 2; it needs split_by device");
}

TEST(MoeBmmErrors, NamesMulticastsThatTheHostWouldDeal) {
    Spoilable test;
    test.schedule.schedule = BmmSchedule::MulticastRows;
    EXPECT_EQ(test.message(), "moe_bmm: schedule multicast_rows needs split_by device");
}

TEST(MoeBmmErrors, NamesASplitOfKOnOneCore) {
    Spoilable test;
    test.schedule = {.schedule = BmmSchedule::SingleCore,
                     .grid = {},
                     .k_block = 1,
                     .k_split = 2,
                     .subblock = {1, 3},
                     .cb_depth = 2};
    EXPECT_EQ(test.message(), "moe_bmm: k_split is 2; it needs schedule multi_core");
}

TEST(MoeBmmErrors, NamesKeysThatOneCoreDoesNotTake) {
    Spoilable test;
    test.schedule = {.schedule = BmmSchedule::SingleCore,
                     .distribution = TileDistribution::RoundRobin,
                     .grid = {2, 1},
                     .k_block = 1,
                     .subblock = {1, 3},
                     .cb_depth = 2};
    EXPECT_EQ(test.message(),
              "moe_bmm: distribution is round_robin, but single_core does not use it; allowed: "
              "block, its default\n"
              "moe_bmm: grid is [2, 1], but single_core does not use it; allowed: [0, 0], its "
              "default");
}

// Inner extent 80: three tiles, two blocks of two.
TEST(MoeBmmErrors, NamesASplitIntoMorePartsThanKHas) {
    Spoilable test;
    test.schedule = {.grid = {}, .k_block = 2, .k_split = 3, .subblock = {1, 3}, .cb_depth = 2};
    EXPECT_EQ(test.message(), "moe_bmm: k_split is 3; K has 2 blocks of 2 tiles");
}

TEST(MoeBmmErrors, NamesASplitOverMoreCoresThanThereAre) {
    Spoilable test;
    test.schedule = {.grid = {}, .k_block = 1, .k_split = 5, .subblock = {1, 3}, .cb_depth = 2};
    EXPECT_EQ(test.message(),
              "moe_bmm: k_split is 5; the schedule has 4 cores\n"
              "moe_bmm: k_split is 5; K has 3 blocks of 1 tiles");
}

TEST(MoeBmmErrors, NamesASubblockThatLeavesNoPlaceForAnotherCoresTile) {
    Spoilable test;
    test.schedule = {.grid = {}, .k_block = 1, .k_split = 2, .subblock = {2, 2}, .cb_depth = 2};
    EXPECT_EQ(test.message(),
              "moe_bmm: subblock has 4 tiles; with k_split, half of DST holds 1 to 3 and one of "
              "another core's");
}

/// The message of near_banks on `arch`.
std::string near_message(const Spoilable& test, const ArchSpec& arch, std::uint32_t bank_cores) {
    const MoeBmmSpec schedule{.schedule = BmmSchedule::NearBanks,
                              .split_by = test.schedule.split_by,
                              .grid = {},
                              .k_block = 4,
                              .subblock = {1, 4},
                              .cb_depth = 2,
                              .bank_cores = bank_cores};
    return usage_error_message([&] {
        (void)call_program(op(), arch, &schedule, {test.input, test.weights, test.counts},
                           {test.output}, test.host_counts);
    });
}

// 96 columns are three tiles, each in four of the twelve banks; K has three tiles.
TEST(MoeBmmErrors, NamesWhatCoresNextToTheirBankCannotTake) {
    Spoilable test;
    test.schedule.split_by = SplitBy::Device;

    EXPECT_EQ(near_message(test, testing::test_arch(), 0),
              "moe_bmm: schedule near_banks has 3 tiles of K for the 4 cores that share a column; "
              "allowed: at least one each; or set schedule to multi_core");
    EXPECT_EQ(
        near_message(test, testing::test_arch(), 6),
        "moe_bmm: schedule near_banks takes 6 cores for each of 12 banks; allowed: bank_cores "
        "1 to 5; or set schedule to multi_core");
    EXPECT_EQ(
        near_message(test, testing::small_arch(), 0),
        "moe_bmm: schedule near_banks has 4 cores for 12 banks; allowed: one for each and one "
        "more; or set schedule to multi_core");
    test.schedule.split_by = SplitBy::Host;
    EXPECT_THAT(near_message(test, testing::test_arch(), 0),
                ::testing::HasSubstr("moe_bmm: schedule near_banks takes split_by device; set it, "
                                     "or set schedule to multi_core"));
}

TEST(MoeBmmErrors, NamesKeysThatCoresNextToTheirBankDoNotTake) {
    Spoilable test;
    test.schedule = {.schedule = BmmSchedule::NearBanks,
                     .grid = {},
                     .k_block = 8,
                     .subblock = {1, 4},
                     .cb_depth = 2};
    EXPECT_THAT(test.message(),
                ::testing::HasSubstr("moe_bmm: k_block is 8, but near_banks does not use it; "
                                     "allowed: 4, its default"));
}

}  // namespace
}  // namespace tessera::ops::moe_bmm
