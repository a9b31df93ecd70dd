// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/bank_traffic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tessera::report {
namespace {

constexpr Millicycles kCycle = kMillicyclesPerCycle;
constexpr std::uint32_t kBanks = 2;
constexpr std::uint32_t kBytes = 780;  // per transfer; divisible by 2, 6, 26 and 30

TraceEvent read_of(NocPlace place, std::uint32_t count) {
    return {.kind = EventKind::NocRead,
            .site = 1,
            .count = count,
            .argument = TransferArgument{kBytes, place}.pack()};
}

LaunchTrace trace_of(std::vector<TraceEvent> events) {
    return {
        .cores = {{.threads = {{.processor = Processor::Riscv1, .events = std::move(events)}}}}};
}

/// Returns a reader that issues reads from cycle 0 to 8 and from 32 to 40 of 64: one slice per
/// cycle.
LaunchTimeline timeline() {
    return {
        .makespan = 64 * kCycle,
        .threads = {{.thread = TimelineThread::Reader,
                     .intervals = {{.end = 8 * kCycle, .site = 1, .activity = Activity::ReadIssue},
                                   {.end = 32 * kCycle, .activity = Activity::WaitNocRead},
                                   {.end = 40 * kCycle, .site = 1, .activity = Activity::ReadIssue},
                                   {.end = 64 * kCycle, .activity = Activity::Finished}}}}};
}

/// Range of slices, end excluded, and bytes in each.
struct Cells {
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint64_t bytes = 0;
};

void expect_cells(const BankTraffic& traffic, std::size_t bank, const std::vector<Cells>& cells) {
    std::vector<std::uint64_t> expected(BankTraffic::kSlices);
    for (const Cells& some : cells) {
        std::fill(expected.begin() + static_cast<std::ptrdiff_t>(some.from),
                  expected.begin() + static_cast<std::ptrdiff_t>(some.to), some.bytes);
    }
    const auto first = traffic.devices.at(0).bytes.begin() +
                       static_cast<std::ptrdiff_t>(bank * BankTraffic::kSlices);
    EXPECT_EQ(std::vector<std::uint64_t>(first, first + BankTraffic::kSlices), expected)
        << "bank " << bank;
}

// Four reads in 16 cycles of issue: 4 cycles each, with middles at 2, 6, 34 and 38. The first two
// are in flight until the end of the wait, at 32; nothing waits after the other two.
TEST(BankTraffic, SpreadsTransfersFromTheirIssueToTheEndOfTheWait) {
    const LaunchTrace trace =
        trace_of({read_of(NocPlace::dram(0), 2), read_of(NocPlace::dram(1), 2)});

    const BankTraffic traffic = bank_traffic(trace, timeline(), kBanks, 0, 64 * kCycle);

    expect_cells(traffic, 0, {{2, 6, kBytes / 30}, {6, 32, kBytes / 30 + kBytes / 26}});
    expect_cells(traffic, 1, {{34, 38, kBytes / 6}, {38, 40, kBytes / 6 + kBytes / 2}});
}

// One read per eight cycles of issue.
TEST(BankTraffic, GivesReadsOfAnL1TheirTimeButNoBytes) {
    const LaunchTrace trace =
        trace_of({read_of(NocPlace::worker({3, 3}), 1), read_of(NocPlace::dram(1), 1)});

    const BankTraffic traffic = bank_traffic(trace, timeline(), kBanks, 0, 64 * kCycle);

    expect_cells(traffic, 0, {});
    expect_cells(traffic, 1, {{36, 40, kBytes / 4}});
}

// 32 cycles in 64 slices: twice the slices for the same bytes.
TEST(BankTraffic, CutsTheWindowThatIsDrawn) {
    const LaunchTrace trace =
        trace_of({read_of(NocPlace::dram(0), 2), read_of(NocPlace::dram(1), 2)});

    const BankTraffic traffic = bank_traffic(trace, timeline(), kBanks, 32 * kCycle, 80 * kCycle);

    EXPECT_EQ(traffic.from, 32 * kCycle);
    EXPECT_EQ(traffic.to, 64 * kCycle) << "the launch ends there";
    expect_cells(traffic, 0, {});
    expect_cells(traffic, 1, {{4, 12, kBytes / 12}, {12, 16, kBytes / 12 + kBytes / 4}});
}

TEST(BankTraffic, ListsNoDeviceThatAsksNothingOfDram) {
    const LaunchTrace trace = trace_of({read_of(NocPlace::worker({3, 3}), 4)});

    EXPECT_TRUE(bank_traffic(trace, timeline(), kBanks, 0, 64 * kCycle).devices.empty());
}

}  // namespace
}  // namespace tessera::report
