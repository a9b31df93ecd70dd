// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/run_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::compare {
namespace {

using testing::ElementsAre;
using testing::Pair;

report::LaunchReport launch() {
    report::LaunchReport launch;
    launch.name = "gate";
    launch.makespan = {90, 120, 140};
    launch.device_time = {90, 100, 120};
    launch.lines = {{"", 0}, {"reader.cpp", 41}, {"compute.cpp", 12}};
    launch.path = {{TimelineThread::Math, 2, Activity::Matmul, ResourceKind::None, 50, 4},
                   {TimelineThread::Reader, 1, Activity::WaitNocRead, ResourceKind::Dram, 30, 3},
                   {TimelineThread::Reader, 1, Activity::WaitNocRead, ResourceKind::NocLink, 15, 3},
                   {std::nullopt, 0, Activity::NotStarted, ResourceKind::None, 5, 1}};
    return launch;
}

report::TimingReport report_of(std::vector<report::LaunchReport> launches) {
    report::TimingReport report;
    report.run = "moe_v2";
    report.arch.name = "wormhole_n150";
    report.clock = Hertz{1e9};
    report.makespan = {100, 110, 130};
    report.launches = std::move(launches);
    return report;
}

TEST(RunFigures, AddUpTheCriticalPathByActivityLineAndResource) {
    const StepFigures step = figures_of(report_of({launch()})).steps.at(0);

    EXPECT_EQ(step.name, "gate");
    EXPECT_EQ(step.time.high, 120);
    EXPECT_THAT(step.path.activities, ElementsAre(Pair("matmul", 50), Pair("not started", 5),
                                                  Pair("wait for NoC read", 45)));
    EXPECT_THAT(step.path.lines, ElementsAre(Pair("compute.cpp:12 (math)", 50), Pair("no line", 5),
                                             Pair("reader.cpp:41 (reader)", 45)));
    EXPECT_THAT(step.path.resources,
                ElementsAre(Pair("DRAM", 30), Pair("NoC links", 15), Pair("none", 55)));
}

// The stretches of the launch end at 50, 80, 95 and 100; the run takes 10 more.
TEST(RunFigures, CountTheRunsPathOnceAndWhatNoLaunchAccountsFor) {
    report::LaunchReport only = launch();
    only.path_stretches = {
        {50, kNoThread, 0}, {80, kNoThread, 1}, {95, kNoThread, 2}, {100, kNoThread, 3}};

    const RunFigures run = figures_of(report_of({only}));

    EXPECT_EQ(run.name, "moe_v2");
    EXPECT_EQ(run.arch, "wormhole_n150");
    EXPECT_EQ(run.time.expected, 110);
    EXPECT_THAT(run.path.bounds,
                ElementsAre(Pair("DRAM", 30), Pair("NoC links", 15), Pair("between launches", 10),
                            Pair("matmul", 50), Pair("not started", 5)));
    EXPECT_THAT(run.path.lines, testing::Contains(Pair("gate: compute.cpp:12 (math)", 50)));
}

}  // namespace
}  // namespace tessera::compare
