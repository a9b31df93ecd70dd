// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/assumed_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/timing_spec.hpp"
#include "tests/unit/runtime/report/timing/small_launch.hpp"

namespace tessera::report {
namespace {

using testing::ElementsAre;

config::ResolvedValue constant(const std::string& path, const std::string& source) {
    return {path, "1 cycle", "1", "cycle", {}, config::Fact{source, std::nullopt}};
}

/// Returns the report of a run whose replay read `keys`.
TimingReport report_that_read(std::set<std::string, std::less<>> keys) {
    TimingReport report = small_report();
    report.constants_read = std::move(keys);
    return report;
}

TEST(AssumedShares, NamesThePartsOfThePathThatAssumedConstantsPrice) {
    const config::Resolved resolved{
        constant("arch.timing.dram.read_latency", "assumed — nobody says"),
        constant("arch.timing.dram.burst", "a data sheet"),
        constant("arch.timing.compute.matmul_phase", "a measurement"),
        constant("arch.timing.risc.read_issue", "assumed — like the others"),
        constant("arch.timing.risc.cb_push", "assumed — not on this path"),
        constant("arch.l1.size", "assumed — no constant of time"),
    };

    const auto shares =
        assumed_shares(report_that_read({"dram.read_latency", "dram.burst", "compute.matmul_phase",
                                         "risc.read_issue", "risc.cb_push"}),
                       resolved);

    ASSERT_EQ(shares.size(), 2U);
    EXPECT_EQ(shares[0].name, "DRAM");
    EXPECT_EQ(shares[0].time, 400 * kCycle);
    EXPECT_THAT(shares[0].constants, ElementsAre("arch.timing.dram.read_latency"));
    EXPECT_EQ(shares[1].name, "read issue");
}

TEST(AssumedShares, LatencyOfReadsIsNotThatOfAtomics) {
    const config::Resolved resolved{
        constant("arch.timing.noc.atomic", "assumed — nobody says"),
        constant("arch.timing.noc.l1_read", "assumed — nobody says"),
        constant("arch.timing.noc.l1_write", "assumed — nobody says"),
    };

    const auto shares =
        assumed_shares(report_that_read({"noc.atomic", "noc.l1_read", "noc.l1_write"}), resolved);

    ASSERT_EQ(shares.size(), 1U);
    EXPECT_EQ(shares[0].name, "NoC latency");
    EXPECT_EQ(shares[0].time, 100 * kCycle);
    EXPECT_THAT(shares[0].constants, ElementsAre("arch.timing.noc.l1_read"));
}

TEST(AssumedShares, OmitConstantsThatNoReplayRead) {
    const config::Resolved resolved{
        constant("arch.timing.risc.read_issue", "assumed — like the others"),
        constant("arch.timing.risc.read_issue_with_state", "assumed — like the others"),
        constant("arch.timing.dram.read_latency", "assumed — nobody says"),
    };

    const auto shares = assumed_shares(report_that_read({"risc.read_issue"}), resolved);

    ASSERT_EQ(shares.size(), 1U);
    EXPECT_EQ(shares[0].name, "read issue");
    EXPECT_THAT(shares[0].constants, ElementsAre("arch.timing.risc.read_issue"));
}

}  // namespace
}  // namespace tessera::report
