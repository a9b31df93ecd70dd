// SPDX-License-Identifier: Apache-2.0
#include "emu/dram/dram_tensors.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

const BankLayout kBanks{4, {}};

/// Ten pages of 64 bytes: three rows of banks 0 and 1, two of 2 and 3.
Buffer ten_pages(std::uint32_t address) {
    return {.device = 0,
            .type = BufferType::DRAM,
            .layout = TensorMemoryLayout::INTERLEAVED,
            .address = address,
            .page_size = 50,
            .aligned_page_size = 64,
            .num_pages = 10,
            .shard = std::nullopt};
}

class OneTensor : public ::testing::Test {
protected:
    OneTensor() { tensors_.add("x", ten_pages(1024), PageMap(ten_pages(1024), kBanks)); }
    DramTensors tensors_{4};
};

TEST(DramTensors, HoldEveryRangeWhileNoneIsKnown) {
    EXPECT_TRUE(DramTensors(4).hold(3, 0, 1U << 30U));
}

TEST_F(OneTensor, HoldsItsPagesAndWhatAlignsThem) {
    EXPECT_TRUE(tensors_.hold(1, 1024, 3 * 64));
    EXPECT_TRUE(tensors_.hold(2, 1024 + 64, 64));
    EXPECT_TRUE(tensors_.hold(1, 1024 + 3 * 64, 0));
}

TEST_F(OneTensor, DoesNotHoldWhatLiesBeforeOrBehindThem) {
    EXPECT_FALSE(tensors_.hold(0, 1023, 1));
    EXPECT_FALSE(tensors_.hold(1, 1024, 3 * 64 + 1));
}

TEST_F(OneTensor, DoesNotHoldTheRestOfItsLastRow) {
    EXPECT_FALSE(tensors_.hold(2, 1024 + 2 * 64, 1));
}

TEST_F(OneTensor, NamesThePageThatARangeReaches) {
    EXPECT_EQ(tensors_.explain(2, 1024 + 2 * 64, 64), "they reach page 10 of x, which has 10");
    EXPECT_EQ(tensors_.explain(0, 1024 + 2 * 64, 128),
              "they reach page 12 of x, which has 10; a page of x has 64 bytes: does the circular "
              "buffer have another format or page_size?");
}

TEST_F(OneTensor, HasPagesOfItsOwnSizeOnly) {
    EXPECT_TRUE(tensors_.may_have_pages(1024, 64));
    EXPECT_FALSE(tensors_.may_have_pages(1024, 128));
    EXPECT_EQ(tensors_.explain_pages(1024),
              "x has 64: does the circular buffer have another format or page_size?");
}

// Kernels may compute addresses inside of a tensor by their own rule.
TEST_F(OneTensor, LeavesPagesOpenAtAddressesWhereNoneBegins) {
    EXPECT_TRUE(tensors_.may_have_pages(0, 128));
    EXPECT_TRUE(tensors_.may_have_pages(1024 + 64, 128));
}

TEST_F(OneTensor, LeavesPagesOpenOfATensorWithOnePageInABank) {
    Buffer workspace = ten_pages(4096);
    workspace.num_pages = 4;
    tensors_.add("workspace", workspace, PageMap(workspace, kBanks));

    EXPECT_TRUE(tensors_.may_have_pages(4096, 128));
}

TEST_F(OneTensor, NamesTheFirstTensorBeforeAll) {
    EXPECT_EQ(tensors_.explain(0, 0, 4), "the first, x, begins at 0x400");
}

TEST_F(OneTensor, IsForgottenWhenItIsRemoved) {
    tensors_.add("y", ten_pages(4096), PageMap(ten_pages(4096), kBanks));
    tensors_.remove(1024);

    EXPECT_FALSE(tensors_.hold(0, 1024, 64));
    EXPECT_TRUE(tensors_.hold(0, 4096, 64));
}

TEST(DramTensors, HoldNoRangeAcrossTwoOfThem) {
    DramTensors tensors(4);
    tensors.add("behind", ten_pages(1024 + 3 * 64), PageMap(ten_pages(1024 + 3 * 64), kBanks));
    tensors.add("before", ten_pages(1024), PageMap(ten_pages(1024), kBanks));

    EXPECT_TRUE(tensors.hold(0, 1024, 3 * 64));
    EXPECT_TRUE(tensors.hold(0, 1024 + 3 * 64, 3 * 64));
    EXPECT_FALSE(tensors.hold(0, 1024, 4 * 64));
}

TEST(DramTensors, HoldShardsOnlyInTheirBanks) {
    Buffer buffer = ten_pages(1024);
    buffer.num_pages = 6;
    buffer.layout = TensorMemoryLayout::HEIGHT_SHARDED;
    buffer.shard =
        ShardSpec{CoreRange({1, 0}, {2, 0}), {2, 1}, {6, 1}, ShardOrientation::ROW_MAJOR, {}};
    DramTensors tensors(4);
    tensors.add("x", buffer, PageMap(buffer, kBanks));

    EXPECT_FALSE(tensors.hold(0, 1024, 1));
    EXPECT_TRUE(tensors.hold(1, 1024, 4 * 64));
    EXPECT_TRUE(tensors.hold(2, 1024, 2 * 64));
    EXPECT_FALSE(tensors.hold(2, 1024, 3 * 64));
    EXPECT_EQ(tensors.explain(2, 1024, 3 * 64), "the one before, x, ends at 0x480");
}

}  // namespace
}  // namespace tessera
