// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "runtime/report/timing/report_files.hpp"
#include "runtime/study/run_figures.hpp"
#include "tessera/errors.hpp"
#include "tests/scratch_folder.hpp"

namespace tessera::compare {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::StartsWith;

class ReportFile : public testing::Test {
protected:
    [[nodiscard]] std::string refusal_of(const std::string& text) const {
        std::ofstream(folder_ / "report.json") << text;
        try {
            (void)read_report(folder_);
        } catch (const UsageError& error) {
            return std::string(error.what()).substr((folder_ / "").string().size());
        }
        return "";
    }

    ScratchFolder scratch_;
    std::filesystem::path folder_ = scratch_.path();
};

TEST_F(ReportFile, GivesTheFiguresThatWereWritten) {
    report::TimingReport report;
    report.run = "tiny";
    report.arch.name = "n150";
    report.clock = Hertz{1.2e9};
    report.makespan = {90, 110, 130};
    report.mesh.shape = {1, 1};
    report::LaunchReport launch;
    launch.name = "gate";
    launch.makespan = {80, 120, 140};
    launch.device_time = {80, 100, 120};
    launch.lines = {{"", 0}, {"reader.cpp", 41}};
    launch.path = {{TimelineThread::Reader, 1, Activity::WaitNocRead, ResourceKind::Dram, 70, 3},
                   {std::nullopt, 0, Activity::Start, ResourceKind::None, 30, 1}};
    report.launches = {launch};
    report::write_report(folder_, report, {}, nullptr);

    const RunFigures run = read_report(folder_);

    EXPECT_EQ(run.name, "tiny");
    EXPECT_EQ(run.arch, "n150");
    EXPECT_EQ(run.clock, Hertz{1.2e9});
    EXPECT_EQ(run.time.high, 130);
    ASSERT_EQ(run.steps.size(), 1U);
    EXPECT_EQ(run.steps[0].time.low, 80);
    EXPECT_THAT(run.steps[0].path.lines,
                ElementsAre(Pair("no line", 30), Pair("reader.cpp:41 (reader)", 70)));
    EXPECT_THAT(run.steps[0].path.bounds,
                ElementsAre(Pair("DRAM", 70), Pair("start of kernel", 30)));
    EXPECT_EQ(read_report(folder_ / "report.json").time.high, 130);
}

TEST_F(ReportFile, IsRefusedIfItIsNotThere) {
    EXPECT_THROW((void)read_report(folder_ / "none"), UsageError);
}

TEST_F(ReportFile, IsRefusedIfItIsNoJson) {
    EXPECT_EQ(refusal_of("<html>"),
              "report.json: is not a report: no JSON from byte 1 of 6 on, allowed: a whole "
              "report.json that --report wrote");
    EXPECT_EQ(refusal_of("{}"),
              "report.json: is not a report: JSON without the keys of a report, allowed: a whole "
              "report.json that --report wrote");
    EXPECT_EQ(refusal_of(R"({"schema": "tessera.rep)"),
              "report.json: is not a report: no JSON from byte 24 of 23 on, allowed: a whole "
              "report.json that --report wrote");
}

TEST_F(ReportFile, IsRefusedIfItHasAnotherSchema) {
    EXPECT_EQ(refusal_of(R"({"schema": "tessera.run", "version": 1})"),
              "report.json: schema tessera.run of version 1, allowed: tessera.report of version 3");
}

TEST_F(ReportFile, IsRefusedIfItHasWordsOfAnotherVersion) {
    const auto refusal = [&](const char* activity, const char* resource) {
        return refusal_of(fmt::format(
            R"({{"schema": "tessera.report", "version": 3, "name": "n",
                "machine": {{"name": "n150", "clock_hz": 1e9}},
                "makespan": {{"low": 1, "expected": 1, "high": 1}},
                "ensemble": {{"draws": [1], "regimes": {{}}, "shared_error": 0}},
                "launches": [{{"name": "gate", "lines": [""],
                    "device_time": {{"low": 1, "expected": 1, "high": 1}},
                    "ensemble": {{"draws": [1], "regimes": {{}}, "shared_error": 0}},
                    "path": [{{"thread": null, "line": 0, "activity": "{}", "resource": "{}",
                        "time": 1, "time_of_run": 1, "count": 1}}]}}]}})",
            activity, resource));
    };

    EXPECT_EQ(refusal("matmul", "none"), "");
    EXPECT_EQ(refusal("tea", "none"),
              "report.json: unknown activity 'tea' in the report; written by another version?");
    EXPECT_EQ(refusal("matmul", "pipe"),
              "report.json: unknown resource 'pipe' in the report; written by another version?");
}

TEST_F(ReportFile, IsRefusedIfItHasAnotherVersion) {
    EXPECT_EQ(
        refusal_of(R"({"schema": "tessera.report", "version": 99})"),
        "report.json: schema tessera.report of version 99, allowed: tessera.report of version 3");
}

}  // namespace
}  // namespace tessera::compare
