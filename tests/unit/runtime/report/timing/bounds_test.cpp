// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/bounds.hpp"

#include <gtest/gtest.h>

namespace tessera::report {
namespace {

constexpr Millicycles kBoundCycle = 1000;

/// Two devices that read 100 bytes of DRAM a cycle each, multiply 50 pairs and change 10 elements;
/// the second one receives 5 bytes a cycle, the first none.
TimingReport two_launches() {
    TimingReport report;
    report.mesh.shape = {1, 2};
    report.peak.dram_bytes_per_cycle = 200;
    report.peak.flops_per_cycle = 200;
    report.peak.vector_ops_per_cycle = 20;
    report.peak.device_link_rates = {0, 5};
    report.launches.resize(2);
    return report;
}

TEST(Bounds, AreOfTheSlowestUnitOfTheBusiestDevice) {
    TimingReport report = two_launches();

    note_bounds(std::vector<std::vector<LeastWork>>{{{.dram_bytes = 1000, .products = 100},
                                                     {.dram_bytes = 900, .link_bytes = 200}},
                                                    {{.dram_bytes = 100, .vector_ops = 500}, {}}},
                report);

    ASSERT_TRUE(report.launches[0].bound);
    EXPECT_EQ(report.launches[0].bound->time, 40 * kBoundCycle);
    EXPECT_EQ(report.launches[0].bound->by, "links");
    EXPECT_EQ(report.launches[0].bound->device, 1U);
    EXPECT_EQ(report.launches[1].bound->time, 50 * kBoundCycle);
    EXPECT_EQ(report.launches[1].bound->by, "SFPU");
}

// Device 0 takes 10 and 50 cycles, device 1 40 and none: the run is not faster than 60.
TEST(Bounds, OfARunAddUpOnEachDevice) {
    TimingReport report = two_launches();

    note_bounds(std::vector<std::vector<LeastWork>>{{{.dram_bytes = 1000}, {.link_bytes = 200}},
                                                    {{.vector_ops = 500}, {}}},
                report);

    ASSERT_TRUE(report.bound);
    EXPECT_EQ(report.bound->time, 60 * kBoundCycle);
    EXPECT_EQ(report.bound->device, 0U);
    report.makespan.expected = 90 * kBoundCycle;
    EXPECT_EQ(over_bound(report.makespan.expected, report.bound), 1.5);
}

// Device 1 begins 300 cycles after device 0, and both end 60 cycles later.
TEST(Bounds, OfACollectiveLeaveOutTheWaitForDevicesThatHaveNotBegun) {
    TimingReport report = two_launches();
    for (LaunchReport& launch : report.launches) {
        launch.device_start = {0, 300 * kBoundCycle};
        launch.device_end = {360 * kBoundCycle, 360 * kBoundCycle};
        launch.device_time.expected = 360 * kBoundCycle;
    }
    report.launches[0].work.link_bytes = 200;

    note_bounds(
        std::vector<std::vector<LeastWork>>{{{}, {.link_bytes = 200}}, {{}, {.vector_ops = 400}}},
        report);

    EXPECT_EQ(over_bound(360 * kBoundCycle, report.launches[0].bound), 1.5);
    EXPECT_EQ(over_bound(360 * kBoundCycle, report.launches[1].bound), 9.0);  // no packets
}

TEST(Bounds, AreMissingForLaunchesWithoutKnownWork) {
    TimingReport report = two_launches();

    note_bounds(std::vector<std::vector<LeastWork>>{{{}, {}}}, report);

    EXPECT_FALSE(report.launches[0].bound);
    EXPECT_FALSE(report.launches[1].bound);
    EXPECT_FALSE(report.bound);
    EXPECT_EQ(over_bound(1, report.bound), 0);
}

}  // namespace
}  // namespace tessera::report
