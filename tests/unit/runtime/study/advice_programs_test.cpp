// SPDX-License-Identifier: Apache-2.0
// Small programs with one schedule mistake each. The advice names the mistake, its place and its
// cost; the program without the mistake is faster by that amount.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/study/advice.hpp"
#include "tests/small_run.hpp"

namespace tessera::advise {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

constexpr std::uint32_t kPages = 64;
constexpr std::uint32_t kPageBytes = 2048;

TraceEvent at(std::uint16_t line, EventKind kind, std::uint64_t argument = 0) {
    return {.kind = kind, .site = line, .count = 1, .argument = argument};
}

/// Returns a kernel whose lines 1 to 4 are its sites; `file` is an index into the trace's names.
ThreadTrace kernel(Processor processor, std::uint32_t file, std::vector<TraceEvent> events) {
    return {.processor = processor,
            .kernel = file,
            .sites = {{}, {file, 1}, {file, 2}, {file, 3}, {file, 4}},
            .events = std::move(events)};
}

compare::RecordedRun run_of(std::vector<CoreTrace> cores) {
    compare::RecordedRun run = test::run_of_reads(test::kSpread);
    run.name = "mistake";
    run.trace.names = {"", "reader.cpp", "writer.cpp"};
    LaunchTrace& launch = run.trace.launches[0];
    launch.name = "copy";
    launch.dispatch[0].cores = static_cast<std::uint32_t>(cores.size());
    launch.cores = std::move(cores);
    return run;
}

const Finding& finding_of(const Advice& advice, std::string_view name) {
    const auto found = std::ranges::find_if(
        advice.findings, [&](const Finding& finding) { return finding.rule.name == name; });
    EXPECT_NE(found, advice.findings.end()) << name;
    return *found;
}

std::string place_of(const Finding& finding) {
    return finding.steps.empty() ? "" : finding.steps.front().place;
}

/// Copies pages from one DRAM bank to another through a CB of `depth` pages.
compare::RecordedRun copy_through_cb(std::uint32_t depth) {
    std::vector<TraceEvent> reads;
    std::vector<TraceEvent> writes;
    for (std::uint32_t page = 0; page < kPages; ++page) {
        reads.push_back(at(1, EventKind::CbReserve, 1));
        reads.push_back(
            at(2, EventKind::NocRead, TransferArgument{kPageBytes, NocPlace::dram(0)}.pack()));
        reads.push_back(at(3, EventKind::ReadBarrier));
        reads.push_back(at(4, EventKind::CbPush, 1));
        writes.push_back(at(1, EventKind::CbWait, 1));
        writes.push_back(
            at(2, EventKind::NocWrite, TransferArgument{kPageBytes, NocPlace::dram(6)}.pack()));
        writes.push_back(at(3, EventKind::WriteBarrier));
        writes.push_back(at(4, EventKind::CbPop, 1));
    }
    return run_of(
        {{.cbs = {{.format = DataFormat::Float16_b, .pages = depth, .page_bytes = kPageBytes}},
          .threads = {kernel(Processor::Riscv0, 2, writes), kernel(Processor::Riscv1, 1, reads)}}});
}

// With space for one page, the reader waits until the page is written, and the writer until the
// next page is read. Neither latency hides the other.
TEST(AdviceOnPrograms, ACbOfOnePageHidesNoLatency) {
    const Advice shallow = advise(copy_through_cb(1));
    const Advice deep = advise(copy_through_cb(2));

    const Finding& finding = finding_of(shallow, "CBs twice as deep");
    EXPECT_GT(finding.gain, 0.2);
    EXPECT_EQ(place_of(finding), "CB 0, reader.cpp:1");
    EXPECT_EQ(deep.makespan, finding.makespan) << "as the rule says";
    EXPECT_LT(finding_of(deep, "CBs twice as deep").gain, 0.05) << "what is left to gain";
    EXPECT_THAT(
        to_text(shallow, {.width = 400}),
        ContainsRegex("CBs twice as deep .*\n    most in copy −[0-9.]+ % \\(CB 0, "
                      "reader.cpp:1\\); raise cb_depth: a latency shows that nothing hides"));
}

/// Pushes pages that are already in L1, `pages` at a time.
compare::RecordedRun hand_over(std::uint32_t pages) {
    std::vector<TraceEvent> gives;
    std::vector<TraceEvent> takes;
    for (std::uint32_t page = 0; page < 8 * kPages; page += pages) {
        gives.push_back(at(1, EventKind::CbReserve, pages));
        gives.push_back(at(4, EventKind::CbPush, pages));
        takes.push_back(at(1, EventKind::CbWait, pages));
        takes.push_back(at(4, EventKind::CbPop, pages));
    }
    return run_of(
        {{.cbs = {{.format = DataFormat::Float16_b, .pages = 16, .page_bytes = kPageBytes}},
          .threads = {kernel(Processor::Riscv0, 2, takes), kernel(Processor::Riscv1, 1, gives)}}});
}

// The cost of the calls bounds the gain of larger pushes. Eight pages at a time keep an eighth of
// the cost.
TEST(AdviceOnPrograms, PagesHandedOverOneByOneAreBoundByTheHandOver) {
    const Advice one = advise(hand_over(1));
    const Advice eight = advise(hand_over(8));

    const Finding& finding = finding_of(one, "hand-over");
    EXPECT_GT(finding.gain, 0.5);
    EXPECT_THAT(place_of(finding), ContainsRegex("^(reader|writer).cpp:[14]$"));
    const auto saved = static_cast<double>(one.makespan - eight.makespan);
    EXPECT_NEAR(saved / static_cast<double>(one.makespan - finding.makespan), 7.0 / 8, 0.05);
    EXPECT_THAT(to_text(one, {}), HasSubstr("hand over more pages at a time"));
}

/// Four cores that each write to a different core; `far` maps (x, 0) to the target.
template <class Far>
compare::RecordedRun send(Far far) {
    std::vector<CoreTrace> cores;
    for (std::uint32_t x = 0; x < 4; ++x) {
        const NocPlace place = NocPlace::worker(far(x));
        std::vector<TraceEvent> writes(
            kPages, at(2, EventKind::NocWrite, TransferArgument{8192, place}.pack()));
        writes.push_back(at(3, EventKind::WriteBarrier));
        cores.push_back({.core = {x, 0}, .threads = {kernel(Processor::Riscv0, 2, writes)}});
    }
    return run_of(std::move(cores));
}

// Along one row, all four share the links in its middle; along their columns they share none.
TEST(AdviceOnPrograms, CoresThatSendAlongOneRowCampOnItsLinks) {
    const Advice row = advise(send([](std::uint32_t x) { return CoreCoord{x + 4, 0}; }));
    const Advice columns = advise(send([](std::uint32_t x) { return CoreCoord{x, 1}; }));

    const Finding& finding = finding_of(row, kNocLinks);
    EXPECT_GT(finding.gain, 0.4);
    EXPECT_EQ(place_of(finding), "writer.cpp:2");
    ASSERT_EQ(row.links.size(), 1U);
    EXPECT_GT(row.links[0].busiest, 0.8);
    EXPECT_EQ(row.links[0].link.node, (CoreCoord{4, 1})) << "the last sender's, where all four are";
    EXPECT_LT(static_cast<double>(columns.makespan), 0.6 * static_cast<double>(row.makespan));
    EXPECT_LT(finding_of(columns, kNocLinks).gain, 0.05);
    EXPECT_THAT(
        to_text(row, {.width = 400}),
        HasSubstr("less with unlimited links of the NoC; the busiest, of NoC 0 on device 0 east "
                  "from router (4,1) in NoC coordinates, is occupied "));
}

/// Four cores of a row that read pages from cores in the same row, four before each barrier. The
/// last `moved` of the four use NoC 1.
compare::RecordedRun read_along_one_row(std::uint32_t moved) {
    std::vector<CoreTrace> cores;
    for (std::uint32_t x = 0; x < 4; ++x) {
        const std::uint64_t page = TransferArgument{8192, NocPlace::worker({x + 4, 0})}.pack();
        std::vector<TraceEvent> reads;
        for (std::uint32_t block = 0; block < kPages; ++block) {
            for (std::uint32_t i = 0; i < 4; ++i) {
                reads.push_back(at(2, EventKind::NocRead, page));
                reads.back().detail = i >= 4 - moved ? TransferDetail::kNoc : 0;
            }
            reads.push_back(at(3, EventKind::ReadBarrier));
            if (moved > 0) {
                reads.push_back(at(3, EventKind::ReadBarrier));
                reads.back().detail = BarrierDetail::kNoc;
            }
        }
        cores.push_back({.core = {x, 0}, .threads = {kernel(Processor::Riscv1, 1, reads)}});
    }
    return run_of(std::move(cores));
}

// Read data along one row shares its links; the other NoC runs in the opposite direction.
TEST(AdviceOnPrograms, AShareOfReadsOnTheOtherNocRelievesARow) {
    const Advice all = advise(read_along_one_row(0));
    const Advice half = advise(read_along_one_row(2));

    const Finding& finding = finding_of(all, "50 % of a line's reads on the other NoC");
    EXPECT_GT(finding.gain, 0.2);
    EXPECT_EQ(half.makespan, finding.makespan) << "as the rule says";
    EXPECT_EQ(place_of(finding), "reader.cpp:2");
    EXPECT_THAT(to_text(all, {}), HasSubstr("only with noc_mode DM_DYNAMIC_NOC"));
}

}  // namespace
}  // namespace tessera::advise
