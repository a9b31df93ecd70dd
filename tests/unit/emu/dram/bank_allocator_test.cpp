// SPDX-License-Identifier: Apache-2.0
#include "emu/dram/bank_allocator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/errors.hpp"

namespace tessera {
namespace {

BankAllocator bottom_up() {
    return {"DRAM bank", 100, 1000, 32, Growth::BottomUp};
}
BankAllocator top_down() {
    return {"L1", 100, 1000, 16, Growth::TopDown};
}

TEST(BankAllocator, BottomUpStartsAtTheFirstAlignedAddress) {
    BankAllocator memory = bottom_up();

    EXPECT_EQ(memory.allocate("a", 1), 128U);
    EXPECT_EQ(memory.allocate("b", 33), 160U);
    EXPECT_EQ(memory.allocate("c", 32), 224U);
}

TEST(BankAllocator, TopDownEndsAtTheLastAlignedAddress) {
    BankAllocator memory = top_down();

    EXPECT_EQ(memory.allocate("a", 16), 976U);
    EXPECT_EQ(memory.allocate("b", 20), 944U);
    EXPECT_EQ(memory.lowest_held(), 944U);
}

TEST(BankAllocator, AFreedRangeIsTakenAgain) {
    BankAllocator memory = bottom_up();
    const auto first = memory.allocate("a", 64);
    (void)memory.allocate("b", 64);

    memory.deallocate(first);

    EXPECT_EQ(memory.allocate("c", 32), first);
    EXPECT_EQ(memory.allocate("d", 32), first + 32);
}

TEST(BankAllocator, LeavesAGapBehindEachBuffer) {
    BankAllocator memory("DRAM bank", 0, 1024, 32, Growth::BottomUp, 256);

    EXPECT_EQ(memory.allocate("a", 32), 0U);
    EXPECT_EQ(memory.allocate("b", 32), 288U);
    EXPECT_EQ(memory.bytes_held(), 64U);
}

TEST(BankAllocator, UsesGapsWhereNothingElseIsFree) {
    BankAllocator memory("DRAM bank", 0, 1024, 32, Growth::BottomUp, 256);
    (void)memory.allocate("a", 512);
    (void)memory.allocate("b", 256);

    EXPECT_EQ(memory.allocate("c", 128), 512U);
    EXPECT_EQ(memory.allocate("d", 128), 640U);
    EXPECT_EQ(memory.bytes_held(), 1024U);
}

TEST(BankAllocator, AllOfTheMemoryCanBeTaken) {
    BankAllocator memory = bottom_up();

    EXPECT_EQ(memory.allocate("all", 992 - 128), 128U);
    EXPECT_EQ(memory.bytes_held(), 992U - 128U);
}

TEST(BankAllocator, WhatDoesNotFitIsRefusedWithWhoHoldsTheRest) {
    BankAllocator memory = bottom_up();
    (void)memory.allocate("weights", 512);
    (void)memory.allocate("tokens", 64);

    try {
        (void)memory.allocate("scores", 300);
        FAIL() << "300 bytes fitted";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "DRAM bank: scores needs 320 B, but the largest free range has 288 B (32 B "
                     "missing); 576 B of 864 B are held by: weights 512 B, tokens 64 B");
    }
}

TEST(BankAllocator, FreeingWhatWasNotAllocatedIsRefused) {
    BankAllocator memory = bottom_up();

    EXPECT_THROW(memory.deallocate(128), UsageError);
}

}  // namespace
}  // namespace tessera
