// SPDX-License-Identifier: Apache-2.0
// Edits of reads, event by event, as an author would change the kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/study/advice_edits.hpp"
#include "tests/small_run.hpp"

namespace tessera::advise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint8_t kNoc1 = TransferDetail::kNoc;
constexpr std::uint16_t kLine = 1;

TraceEvent read(std::uint32_t count = 1, std::uint8_t detail = 0, std::uint32_t bank = 0) {
    return {.kind = EventKind::NocRead,
            .detail = detail,
            .site = kLine,
            .count = count,
            .argument = TransferArgument{2048, NocPlace::dram(bank)}.pack()};
}
TraceEvent barrier(std::uint8_t noc = 0) {
    return {.kind = EventKind::ReadBarrier, .detail = noc, .count = 1};
}
TraceEvent reserve(std::uint64_t pages) {
    return {.kind = EventKind::CbReserve, .count = 1, .argument = pages};
}
TraceEvent push(std::uint64_t pages) {
    return {.kind = EventKind::CbPush, .count = 1, .argument = pages};
}
TraceEvent semaphore() {
    return {.kind = EventKind::LocalWord, .count = 1, .argument = 64};
}

/// A launch of cores in a row, with a report whose path waits for reads on the NoC.
class ReadEdits : public testing::Test {
protected:
    void add_core(CoreCoord at, std::vector<TraceEvent> events) {
        ThreadTrace thread{.processor = Processor::Riscv1,
                           .kernel = 1,
                           .sites = {{}, {1, 9}},
                           .events = std::move(events)};
        launch_.cores.push_back(
            {.core = at,
             .cbs = {{.format = DataFormat::Float16_b, .pages = 2, .page_bytes = 2048}},
             .threads = {std::move(thread)}});
    }
    [[nodiscard]] LaunchContext context() const { return {expected_, run_.machine, names_}; }
    [[nodiscard]] const std::vector<TraceEvent>& events(std::size_t core = 0) const {
        return launch_.cores.at(core).threads.front().events;
    }

    compare::RecordedRun run_ = test::run_of_reads(test::kSpread);
    std::vector<std::string> names_{"", "reader.cpp"};
    report::LaunchReport expected_ = [] {
        report::LaunchReport report;
        report.makespan.expected = 1000;
        report.lines = {{}, {.file = "reader.cpp", .line = 9}};
        report.path = {{.line = 1,
                        .activity = Activity::WaitNocRead,
                        .resource = ResourceKind::NocLink,
                        .time = 600}};
        return report;
    }();
    LaunchTrace launch_;
};

TEST_F(ReadEdits, MoveTheLastShareOfEachBlockAndWaitForBothNocs) {
    add_core({0, 0}, {read(), read(), read(), read(), barrier(), push(4), read(4), barrier()});

    EXPECT_TRUE(move_share(launch_, context(), 0.25));

    EXPECT_THAT(events(),
                ElementsAre(read(), read(), read(), read(1, kNoc1), barrier(), barrier(kNoc1),
                            push(4), read(3), read(1, kNoc1), barrier(), barrier(kNoc1)));
}

TEST_F(ReadEdits, MoveOneBlockInFourWhereBlocksAreOneRead) {
    std::vector<TraceEvent> blocks;
    for (int block = 0; block < 4; ++block) {
        blocks.insert(blocks.end(), {read(), barrier()});
    }
    add_core({0, 0}, blocks);

    EXPECT_TRUE(move_share(launch_, context(), 0.25));

    EXPECT_THAT(events(), ElementsAre(read(), barrier(), read(), barrier(), read(), barrier(),
                                      read(1, kNoc1), barrier(), barrier(kNoc1)));
}

TEST_F(ReadEdits, LeaveReadsWithALatchedCommandWhereTheyAre) {
    add_core({0, 0}, {read(4, TransferDetail::kWithState), barrier()});

    EXPECT_FALSE(move_share(launch_, context(), 0.5));
}

TEST_F(ReadEdits, MoveNothingWhereTheNocIsIdle) {
    add_core({0, 0}, {read(4), barrier()});
    expected_.path[0].resource = ResourceKind::Dram;

    EXPECT_FALSE(move_share(launch_, context(), 0.5));
}

TEST_F(ReadEdits, JoinBarriersOfTwoBlocksAndTheirPushes) {
    std::vector<TraceEvent> blocks;
    for (int block = 0; block < 3; ++block) {
        blocks.insert(blocks.end(), {reserve(1), read(), barrier(), push(1)});
    }
    add_core({0, 0}, blocks);

    EXPECT_TRUE(join_barriers(launch_, context(), 2));

    EXPECT_THAT(events(), ElementsAre(reserve(1), read(), reserve(2), read(), barrier(), push(1),
                                      push(1), reserve(1), read(), barrier(), push(1)));
    EXPECT_EQ(launch_.cores[0].cbs[0].pages, 4U);
}

TEST_F(ReadEdits, JoinNoBarrierThatASemaphoreFollows) {
    add_core({0, 0}, {read(), barrier(), semaphore(), read(), barrier(), semaphore()});

    EXPECT_FALSE(join_barriers(launch_, context(), 2));
    EXPECT_EQ(launch_.cores[0].cbs[0].pages, 2U);
}

TEST_F(ReadEdits, JoinNothingWhereL1HasNoSpace) {
    add_core({0, 0}, {reserve(1), read(), barrier(), push(1), reserve(1), read(), barrier()});
    launch_.cores[0].l1_bytes = static_cast<std::uint32_t>(run_.machine.arch.l1.size.value);

    EXPECT_FALSE(join_barriers(launch_, context(), 2));
}

TEST_F(ReadEdits, LeaveReadsOfARowToItsFirstCore) {
    for (std::uint32_t x = 0; x < 3; ++x) {
        add_core({x, 2}, {read(1, 0, 5), read(1, 0, 6), barrier(), push(2)});
    }

    EXPECT_TRUE(multicast_reads(launch_, context()));

    const TraceEvent sent{.kind = EventKind::NocMulticast,
                          .count = 4096,
                          .argument = MulticastArgument{{0, 2}, {2, 2}}.pack()};
    EXPECT_THAT(events(0), ElementsAre(read(1, 0, 5), read(1, 0, 6), barrier(), sent, push(2)));
    EXPECT_THAT(events(1), ElementsAre(barrier(), push(2)));
    EXPECT_THAT(events(2), ElementsAre(barrier(), push(2)));
}

TEST_F(ReadEdits, ShareNothingAmongCoresThatAreNoRectangleOrReadOtherBanks) {
    add_core({0, 0}, {read(1, 0, 5), barrier()});
    add_core({2, 0}, {read(1, 0, 5), barrier()});
    add_core({3, 0}, {read(1, 0, 6), barrier()});

    EXPECT_FALSE(multicast_reads(launch_, context()));
}

}  // namespace
}  // namespace tessera::advise
