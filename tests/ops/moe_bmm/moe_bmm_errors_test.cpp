// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "ops/moe_bmm/moe_bmm.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/errors/host/usage_error_message.hpp"

namespace tessera::ops::moe_bmm {
namespace {

DeviceTensor tensor(Shape shape, DataFormat format, Layout layout) {
    DeviceTensor made{{std::move(shape), format, layout}, {}};
    made.buffer.page_size = 32;
    made.buffer.aligned_page_size = 32;
    made.buffer.num_pages = 2;
    return made;
}

/// Two experts, 40 tokens, 80 · 96; a test spoils one of them.
struct Spoilable {
    DeviceTensor input = tensor({2, 40, 80}, DataFormat::Float16_b, Layout::TILE);
    DeviceTensor weights = tensor({2, 80, 96}, DataFormat::Float16_b, Layout::TILE);
    DeviceTensor counts = tensor({2, 1}, DataFormat::UInt32, Layout::ROW_MAJOR);
    std::vector<std::uint32_t> host_counts{40, 3};
    DeviceTensor output = tensor({2, 40, 96}, DataFormat::Float16_b, Layout::TILE);
    MoeBmmSpec schedule{.grid = {}, .k_block = 2, .subblock = {2, 2}, .cb_depth = 2};

    [[nodiscard]] std::string message() const {
        return usage_error_message([&] {
            (void)make_program(testing::small_arch(), {input, weights, {counts, host_counts}},
                               {output}, schedule);
        });
    }
};

TEST(MoeBmmErrors, AcceptsWhatTheOthersSpoil) {
    EXPECT_EQ(Spoilable{}.message(), "(nothing thrown)");
}

TEST(MoeBmmErrors, NamesARowMajorInput) {
    Spoilable test;
    test.input.spec.layout = Layout::ROW_MAJOR;
    EXPECT_EQ(test.message(),
              "moe_bmm: input_hidden_state is (2,40,80) bfloat16 ROW_MAJOR; it must be bfloat16 "
              "TILE of rank 3 without an extent of 0");
}

TEST(MoeBmmErrors, NamesWeightsOfAnotherInnerExtent) {
    Spoilable test;
    test.weights.spec.shape = {2, 96, 96};
    EXPECT_EQ(test.message(),
              "moe_bmm: expert_weights is (2,96,96) bfloat16 TILE; for input_hidden_state "
              "(2,40,80) bfloat16 TILE it must be (2,80,H_out)");
}

TEST(MoeBmmErrors, NamesShardedWeights) {
    Spoilable test;
    test.weights.buffer.layout = TensorMemoryLayout::WIDTH_SHARDED;
    EXPECT_EQ(test.message(), "moe_bmm: expert_weights is sharded; it must be interleaved");
}

TEST(MoeBmmErrors, NamesAnOutputOfAnotherShape) {
    Spoilable test;
    test.output.spec.shape = {2, 40, 80};
    EXPECT_EQ(test.message(),
              "moe_bmm: output is (2,40,80) bfloat16 TILE; it must be (2,40,96) bfloat16 TILE");
}

TEST(MoeBmmErrors, NamesCountsAboveTheTokens) {
    Spoilable test;
    test.host_counts = {40, 41};
    EXPECT_EQ(test.message(), "moe_bmm: expert 1 has 41 routed tokens; the tensor holds 40");
}

TEST(MoeBmmErrors, NamesAMissingCount) {
    Spoilable test;
    test.host_counts = {40};
    EXPECT_EQ(test.message(),
              "moe_bmm: the host has 1 counts of routed tokens; there are 2 experts");
}

TEST(MoeBmmErrors, NamesASubblockLargerThanHalfOfDst) {
    Spoilable test;
    test.schedule.subblock = {1, 5};
    EXPECT_EQ(test.message(),
              "moe_bmm: a subblock of 1x5 tiles does not fit in half of DST; with fp32 "
              "accumulation 1 to 4 tiles do");
}

TEST(MoeBmmErrors, Bfloat16DstHoldsTwiceTheSubblock) {
    Spoilable test;
    test.schedule.subblock = {1, 8};
    test.schedule.fp32_dest_acc = false;
    EXPECT_EQ(test.message(), "(nothing thrown)");
    test.schedule.subblock = {3, 3};
    EXPECT_EQ(test.message(),
              "moe_bmm: a subblock of 3x3 tiles does not fit in half of DST; with bfloat16 "
              "accumulation 1 to 8 tiles do");
}

TEST(MoeBmmErrors, NamesABlockOfNoK) {
    Spoilable test;
    test.schedule.k_block = 0;
    EXPECT_EQ(test.message(), "moe_bmm: k_block is 0 and cb_depth 2; both must be at least 1");
}

TEST(MoeBmmErrors, NamesAGridLargerThanTheDevice) {
    Spoilable test;
    test.schedule.grid = {3, 1};
    EXPECT_EQ(test.message(),
              "moe_bmm: the schedule's grid is 3x1; test_arch has 1x1 to 2x2 cores (0x0: all)");
}

}  // namespace
}  // namespace tessera::ops::moe_bmm
