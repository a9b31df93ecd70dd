// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/bank_camping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::advise {
namespace {

TraceEvent read_of(std::uint32_t bank) {
    return {.kind = EventKind::NocRead,
            .count = 1,
            .argument = TransferArgument{2048, NocPlace::dram(bank)}.pack()};
}

/// Cores that each read `pages` pages; core i begins at bank `first(i)` and advances by `stride`.
template <class First>
LaunchTrace launch_of(std::uint32_t cores, std::uint32_t pages, std::uint32_t banks,
                      std::uint32_t stride, First first) {
    LaunchTrace launch{.name = "gate"};
    for (std::uint32_t core = 0; core < cores; ++core) {
        ThreadTrace thread{.processor = Processor::Riscv1};
        for (std::uint32_t page = 0; page < pages; ++page) {
            thread.events.push_back(read_of((first(core) + page * stride) % banks));
        }
        launch.cores.push_back({.core = {core, 0}, .threads = {thread}});
    }
    return launch;
}

// Eight cores begin at bank 0 and advance by one, so all are at one bank at a time, although each
// bank serves the same number of pages in the end.
TEST(BankCamping, ShowsCoresThatQueueAtOneBankAfterAnother) {
    const auto camping = bank_camping(launch_of(8, 24, 12, 1, [](auto) { return 0U; }), 12, {});

    ASSERT_TRUE(camping.has_value());
    EXPECT_EQ(camping->step, "gate");
    EXPECT_EQ(camping->used, 1);
    EXPECT_EQ(camping->stride, 1U);
    EXPECT_LT(camping->used, kCamps * camping->even);
}

TEST(BankCamping, LeavesCoresThatSpreadOut) {
    const auto camping =
        bank_camping(launch_of(8, 24, 12, 1, [](auto core) { return core; }), 12, {});

    ASSERT_TRUE(camping.has_value());
    EXPECT_EQ(camping->used, 8);
    EXPECT_GE(camping->used, kCamps * camping->even);
}

// A stride of 24 pages is twice 12 banks: each core stays at its bank.
TEST(BankCamping, GivesTheStrideModuloBanks) {
    const auto camping =
        bank_camping(launch_of(4, 8, 12, 24, [](auto core) { return core; }), 12, {});

    EXPECT_EQ(camping->stride, 0U);
}

TEST(BankCamping, MapsEachBanksShareOverTime) {
    const auto camping = bank_camping(launch_of(2, 64, 2, 1, [](auto) { return 0U; }), 2, {});

    ASSERT_EQ(camping->map.size(), 2U);
    ASSERT_EQ(camping->map[0].size(), BankCamping::kSlices);
    // Four transfers per slice: two of bank 0, then two of bank 1.
    EXPECT_THAT(camping->map[0], testing::Each(0.5));
    EXPECT_THAT(camping->map[1], testing::Each(0.5));
}

// Four columns of a matrix of 24 tiles per row: each core reads its own column, banks 0, 0, 0, ….
// Together they use four banks, and yet each core queues at one.
TEST(BankCamping, NamesTheLineWhosePagesLieAMultipleOfTheBanksApart) {
    LaunchTrace launch = launch_of(4, 36, 12, 24, [](auto core) { return core; });
    for (CoreTrace& core : launch.cores) {
        core.threads[0].sites = {{}, {1, 76}, {1, 61}};
        for (TraceEvent& event : core.threads[0].events) {
            event.site = 1;
        }
        for (std::uint32_t page = 0; page < 24; ++page) {
            core.threads[0].events.push_back(read_of((core.core.x + page) % 12));
            core.threads[0].events.back().site = 2;
        }
    }

    const auto camping = bank_camping(launch, 12, {"", "operands.hpp"});

    ASSERT_EQ(camping->lines.size(), 2U);
    EXPECT_EQ(camping->lines[0].line, "operands.hpp:76");
    EXPECT_EQ(camping->lines[0].transfers, 4U * 36);
    EXPECT_EQ(camping->lines[0].used, 1);
    EXPECT_EQ(camping->lines[0].stride, 0U);
    EXPECT_TRUE(camps(camping->lines[0], 12));
    EXPECT_EQ(camping->lines[1].line, "operands.hpp:61");
    EXPECT_EQ(camping->lines[1].used, 12);
    EXPECT_EQ(camping->lines[1].stride, 1U);
    EXPECT_FALSE(camps(camping->lines[1], 12));
}

TEST(BankCamping, SaysNothingOfOneCoreOrOfNone) {
    EXPECT_FALSE(
        bank_camping(launch_of(1, 64, 12, 1, [](auto) { return 0U; }), 12, {}).has_value());
    EXPECT_FALSE(bank_camping({}, 12, {}).has_value());
}

}  // namespace
}  // namespace tessera::advise
