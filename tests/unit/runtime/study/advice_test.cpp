// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/small_run.hpp"

namespace tessera::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

const Finding& finding_of(const Advice& advice, std::string_view name) {
    const auto found = std::ranges::find_if(
        advice.findings, [&](const Finding& finding) { return finding.rule.name == name; });
    EXPECT_NE(found, advice.findings.end()) << name;
    return *found;
}

TEST(Advise, ProvesThatCampingOnABankCostsTime) {
    const Advice camping = advise(test::run_of_reads(test::kCamping));
    const Advice spread = advise(test::run_of_reads(test::kSpread));

    EXPECT_GT(finding_of(camping, kSpreadOverBanks).gain, 0.4);
    EXPECT_LT(std::abs(finding_of(spread, kSpreadOverBanks).gain), 0.1);
    EXPECT_LT(spread.makespan, camping.makespan) << "as the rule says";
}

// No change of that kind can gain more than the bound. Banks are behind NoC ports.
TEST(Advise, BoundsWhatAResourceCanGain) {
    const Advice advice = advise(test::run_of_reads(test::kCamping));

    EXPECT_GT(finding_of(advice, "DRAM and NoC rates").gain,
              finding_of(advice, kSpreadOverBanks).gain);
    EXPECT_EQ(finding_of(advice, "links between devices").gain, 0);
    EXPECT_EQ(finding_of(advice, "links between devices").makespan, advice.makespan);
}

TEST(Advise, RefusesRulesThatFindNothingToChange) {
    const Advice advice = advise(test::run_of_reads(test::kCamping));

    EXPECT_EQ(finding_of(advice, "CBs twice as deep").refusal,
              "nothing of the run is of that kind");
    EXPECT_EQ(finding_of(advice, "packets of twice the bytes").refusal,
              "nothing of the run is of that kind");
}

/// Returns the same run with its only launch changed.
template <class Change>
Advice advise_changed(Change change) {
    compare::RecordedRun run = test::run_of_reads(test::kSpread);
    change(run.trace.launches[0]);
    return advise(run);
}

// Eight reads of 128 B from one bank, as in a loop over short pages.
TEST(Advise, ProvesThatPacketsAreSmall) {
    const Advice advice = advise_changed([](LaunchTrace& launch) {
        for (CoreTrace& core : launch.cores) {
            for (TraceEvent& event : core.threads[0].events) {
                if (event.kind == EventKind::NocRead) {
                    TransferArgument argument = TransferArgument::unpack(event.argument);
                    argument.bytes = 128;
                    event.argument = argument.pack();
                    event.count = 8;
                }
            }
        }
    });

    EXPECT_GT(finding_of(advice, "packets of twice the bytes").gain, 0.05);
    EXPECT_GT(finding_of(advice, "issue of transfers").gain, 0.05);
}

// One core has three times the reads of the others.
TEST(Advise, ProvesThatOneCoreHasMoreOfTheWork) {
    const Advice advice = advise_changed([](LaunchTrace& launch) {
        std::vector<TraceEvent>& events = launch.cores[2].threads[0].events;
        const std::vector<TraceEvent> once = events;
        for (int more = 0; more < 2; ++more) {
            events.insert(events.end(), once.begin(), once.end());
        }
    });

    EXPECT_GT(finding_of(advice, "the last core as busy as the median one").gain, 0.2);
}

// Two reads and nothing else: the rest is the start of the program.
TEST(Advise, ProvesThatAStepIsBoundByItsLaunch) {
    const Advice advice = advise_changed([](LaunchTrace& launch) {
        for (CoreTrace& core : launch.cores) {
            core.threads[0].events.erase(core.threads[0].events.begin() + 2,
                                         core.threads[0].events.end() - 1);
        }
    });

    EXPECT_GT(finding_of(advice, "launch").gain, 0.5);
}

// The firmware copies a kernel to its instruction RAM; without launches this time is zero.
TEST(Advise, CountsTheCopyOfAKernelAsLaunch) {
    compare::RecordedRun run = test::run_of_reads(test::kSpread);
    run.machine.timing.expected.dispatch.kernel_copy = Cycles{1'000'000};

    EXPECT_GT(finding_of(advise(run), "launch").gain, 0.9);
}

// One bank of twelve is slower than all twelve under any draw and error.
TEST(Advise, GradesWhatGainsByPairs) {
    const Advice advice = advise(test::run_of_reads(test::kCamping));

    const Finding& gains = finding_of(advice, kSpreadOverBanks);
    EXPECT_EQ(gains.verdict.grade, compare::Grade::Robust);
    EXPECT_EQ(gains.verdict.num_pairs, 256U);
    EXPECT_EQ(gains.steps.at(0).verdict.num_pairs, 256U);
    EXPECT_EQ(finding_of(advice, "links between devices").verdict.grade, compare::Grade::Equal)
        << "no launch is touched";
}

// 64 products of one tile each, as matmul_tiles in a loop.
TEST(Advise, ProvesThatBlocksAreSmall) {
    const Advice advice = advise_changed([](LaunchTrace& launch) {
        const std::uint64_t product = ComputeArgument{.srca = DataFormat::Float16_b,
                                                      .srcb = DataFormat::Float16_b,
                                                      .fidelity = MathFidelity::LoFi}
                                          .pack();
        ThreadTrace thread{.processor = Processor::Compute, .kernel = 1, .sites = {{}}};
        for (int call = 0; call < 200; ++call) {
            thread.events.push_back(
                {.kind = EventKind::MatmulTiles, .count = 64, .argument = product});
        }
        launch.cores[0].threads = {thread};
    });

    EXPECT_GT(finding_of(advice, "products of twice the columns").gain, 0.1);
}

// Reads of the second core use links of the first; on the other NoC they would not.
TEST(Advise, TriesTheOtherNocForReadsAndForWrites) {
    const Advice advice = advise(test::run_of_reads(test::kSpread));

    EXPECT_TRUE(finding_of(advice, "reads on the other NoC").refusal.empty());
    EXPECT_NE(finding_of(advice, "reads on the other NoC").makespan, advice.makespan);
    EXPECT_EQ(finding_of(advice, "writes on the other NoC").refusal,
              "nothing of the run is of that kind");
}

TEST(Advise, SortsByKindAndThenByGain) {
    const Advice advice = advise(test::run_of_reads(test::kCamping));

    for (std::size_t i = 1; i < advice.findings.size(); ++i) {
        const Finding& before = advice.findings[i - 1];
        const Finding& after = advice.findings[i];
        EXPECT_TRUE(before.rule.kind < after.rule.kind || before.gain >= after.gain) << i;
    }
}

TEST(AdviceText, FitsAHundredColumnsInAPipe) {
    std::istringstream lines(to_text(advise(test::run_of_reads(test::kCamping)), {}));

    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(report::columns_of(line), 100U) << line;
    }
}

TEST(AdviceText, ShowsGainsWhatToDoAndTheMapOfBanks) {
    const std::string text = to_text(advise(test::run_of_reads(test::kCamping)), {.width = 400});

    EXPECT_THAT(text, HasSubstr("camp on wormhole_n150: "));
    EXPECT_THAT(text, HasSubstr("  what if "));
    EXPECT_THAT(text, HasSubstr("robust: 100 % of 256 pairs"));
    EXPECT_THAT(text, HasSubstr("let cores that run side by side start at other banks"));
    EXPECT_THAT(
        text,
        HasSubstr("% less with pages distributed; cores camp on 1.0 of 12 banks at "
                  "a time, an even distribution uses 3.5; consecutive pages of a core are 0 banks "
                  "apart\n"
                  "    reader.cpp:9: 12 consecutive transfers of a core use 1.0 of 12 "
                  "banks: pages are a multiple of 12 pages apart, such as rows of 12 or 24 "
                  "tiles: pad the rows by one tile, or read along the rows\n    bank  0 |"));
    EXPECT_THAT(
        text, HasSubstr("\nnot tried, as nothing of the run is of that kind: CBs twice as deep; "));
}

TEST(AdviceText, LeavesStepsThatSpreadOutAlone) {
    const std::string text = to_text(advise(test::run_of_reads(test::kSpread)), {});

    EXPECT_THAT(text, Not(HasSubstr("camp on 1")));
}

}  // namespace
}  // namespace tessera::advise
