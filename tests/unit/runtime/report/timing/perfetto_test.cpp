// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/report/timing/report_files.hpp"
#include "tests/unit/runtime/report/timing/small_launch.hpp"

namespace tessera::report {
namespace {

using nlohmann::json;

/// Returns events of a phase, of the launch that begins at 50 cycles of 1 ns.
std::vector<json> events(const std::string& phase, const PerfettoBounds& bounds = {}) {
    std::vector<json> found;
    const json trace = json::parse(perfetto_trace(small_report(), bounds));
    for (const json& event : trace["traceEvents"]) {
        if (event["ph"] == phase) {
            found.push_back(event);
        }
    }
    return found;
}

json slice_named(const std::string& name) {
    for (const json& event : events("X")) {
        if (event["name"] == name) {
            return event;
        }
    }
    return nullptr;
}

TEST(Perfetto, HasATrackForEachThreadThatDidSomething) {
    std::vector<std::string> names;
    for (const json& event : events("M")) {
        if (event["name"] != "thread_sort_index") {
            names.push_back(event["args"]["name"]);
        }
    }

    EXPECT_THAT(names, testing::UnorderedElementsAre("device 0", "launches", "device 0 core (0,0)",
                                                     "device 0 core (1,0)", "reader", "unpack",
                                                     "math", "writer"));
}

TEST(Perfetto, OrdersThreadsAsDataPassesThem) {
    std::map<std::uint32_t, std::string> names;  // of core (0,0)
    for (const json& event : events("M")) {
        if (event["pid"] == 2 && event["name"] == "thread_name") {
            names[event["tid"]] = event["args"]["name"];
        }
    }

    EXPECT_THAT(names, testing::ElementsAre(testing::Pair(1, "reader"), testing::Pair(2, "unpack"),
                                            testing::Pair(3, "math")));
}

// At 1.5 GHz a cycle is 2/3 ns: individually rounded lengths do not add up.
TEST(Perfetto, LetsNoSliceReachIntoTheNext) {
    TimingReport report = small_report();
    report.clock = Hertz{1.5e9};
    std::map<std::pair<int, int>, std::int64_t> ends;
    const auto picoseconds = [](const json& time) {
        return static_cast<std::int64_t>(std::llround(time.get<double>() * 1e6));
    };
    for (const json& event : json::parse(perfetto_trace(report, {}))["traceEvents"]) {
        if (event["ph"] == "X") {
            std::int64_t& end = ends[{event["pid"], event["tid"]}];
            EXPECT_GE(picoseconds(event["ts"]), end) << event;
            end = picoseconds(event["ts"]) + picoseconds(event["dur"]);
        }
    }
}

TEST(Perfetto, ShowsBusyAndWaitingInMicrosecondsOfTheRun) {
    const json read = slice_named("wait for NoC read");

    EXPECT_NEAR(read["ts"].get<double>(), 0.250, 1e-9);
    EXPECT_NEAR(read["dur"].get<double>(), 0.500, 1e-9);
    EXPECT_EQ(read["cat"], "wait");
    EXPECT_EQ(read["args"]["line"], "reader.cpp:20");
    EXPECT_EQ(read["args"]["object"], "DRAM bank 1");
    EXPECT_NEAR(slice_named("gate")["dur"].get<double>(), 1.0, 1e-9);
    EXPECT_EQ(slice_named("not started"), nullptr);
}

// Slices of one track must nest. The launch lasts 1000 cycles. The second begins during the first,
// the third at its end.
TEST(Perfetto, ShowsLaunchesThatOverlapOnTracksOfTheirOwn) {
    TimingReport report = small_report();
    for (const Millicycles later : {400'000, 1'000'000}) {
        report.launches.push_back(report.launches.front());
        report.launches.back().start += later;
    }

    std::vector<std::uint32_t> tracks;
    const json trace = json::parse(perfetto_trace(report, {}));
    for (const json& event : trace["traceEvents"]) {
        if (event["ph"] == "X" && event["cat"] == "launch") {
            tracks.push_back(event["tid"]);
        }
    }

    EXPECT_THAT(tracks, testing::ElementsAre(0, 1, 0));
}

TEST(Perfetto, DrawsFlowsToWaitsFromWhatEndedThem) {
    const auto starts = events("s");
    const auto ends = events("f");

    ASSERT_EQ(starts.size(), 3U) << "the reader ended its own wait";
    ASSERT_EQ(ends.size(), 3U);
    const json writer = slice_named("wait for semaphore");
    EXPECT_EQ(ends[0]["pid"], writer["pid"]) << "the longest wait first";
    EXPECT_EQ(ends[0]["tid"], writer["tid"]);
    EXPECT_EQ(starts[0]["pid"], slice_named("matmul")["pid"]);
    EXPECT_EQ(starts[0]["id"], ends[0]["id"]);
    EXPECT_EQ(ends[0]["bp"], "e");
    EXPECT_EQ(events("f", {.flows = 1}).size(), 1U);
}

TEST(Perfetto, CountsPagesOfCbsAndLoadsOfLinks) {
    std::vector<std::pair<std::string, double>> values;
    for (const json& event : events("C")) {
        values.emplace_back(event["name"], event["args"]["value"]);
    }

    EXPECT_THAT(values, testing::IsSupersetOf(std::vector<std::pair<std::string, double>>{
                            {"CB 0 pages", 3},
                            {"CB 0 pages", 1},
                            {"NoC 0 link (0,1) right %", 25},
                            {"DRAM bank 1 %", 40}}));
}

TEST(Perfetto, LeavesTheShortestSlicesOutWhereThereAreTooMany) {
    std::vector<std::string> names;
    for (const json& event : events("X", {.slices = 3})) {
        names.push_back(event["name"]);
    }

    EXPECT_THAT(names,
                testing::UnorderedElementsAre("gate", "wait for CB data",
                                              "wait for source registers", "wait for semaphore"));
}

}  // namespace
}  // namespace tessera::report
