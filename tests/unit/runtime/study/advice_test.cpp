// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

    EXPECT_GT(finding_of(camping, kDealOutBanks).gain, 0.4);
    EXPECT_LT(std::abs(finding_of(spread, kDealOutBanks).gain), 0.1);
    EXPECT_LT(spread.makespan, camping.makespan) << "as the rule says";
}

// What a bound gains no change of that kind can exceed: banks are behind ports of the NoC.
TEST(Advise, BoundsWhatAResourceCanGain) {
    const Advice advice = advise(test::run_of_reads(test::kCamping));

    EXPECT_GT(finding_of(advice, "DRAM and NoC rates").gain,
              finding_of(advice, kDealOutBanks).gain);
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

TEST(Advise, SortsByKindAndThenByGain) {
    const Advice advice = advise(test::run_of_reads(test::kCamping));

    for (std::size_t i = 1; i < advice.findings.size(); ++i) {
        const Finding& before = advice.findings[i - 1];
        const Finding& after = advice.findings[i];
        EXPECT_TRUE(before.rule.kind < after.rule.kind || before.gain >= after.gain) << i;
    }
}

TEST(AdviceText, ShowsGainsWhatToDoAndTheMapOfBanks) {
    const std::string text = to_text(advise(test::run_of_reads(test::kCamping)), {});

    EXPECT_THAT(text, HasSubstr("camp on wormhole_n150: "));
    EXPECT_THAT(text, HasSubstr("  what if "));
    EXPECT_THAT(text, HasSubstr("let cores that run side by side start at other banks"));
    EXPECT_THAT(text, HasSubstr("\ngate: cores camp on 1.0 of 12 banks at a time, 3.5 were even; "
                                "from page to page a core goes 0 banks on\n    bank  0 |"));
    EXPECT_THAT(text, HasSubstr("\nnot tried: CBs twice as deep: nothing of the run is of that "
                                "kind\n"));
}

TEST(AdviceText, LeavesStepsThatSpreadOutAlone) {
    const std::string text = to_text(advise(test::run_of_reads(test::kSpread)), {});

    EXPECT_THAT(text, Not(HasSubstr("camp on 1")));
}

}  // namespace
}  // namespace tessera::advise
