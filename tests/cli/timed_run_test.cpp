// SPDX-License-Identifier: Apache-2.0
// Output of the binary on predicted time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

Ending run_tiny(std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "moe_v2_tiny"});
    return run_tessera(more);
}

TEST(CliTiming, IsShownBesideTheVerdict) {
    const Ending ending = run_tiny({"--full"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_THAT(ending.out, ContainsRegex("\n  makespan +[0-9 ]+ cycles, [0-9.]+ us at 1.00 GHz"));
    EXPECT_THAT(ending.out, ContainsRegex("\n  gate +[0-9 ]+  +[0-9 ]+ … [0-9 ]+  +[0-9]+ %"));
    EXPECT_THAT(ending.out, ContainsRegex("\nPASS 11 of 11 steps checked[^\n]*\n$"));
}

TEST(CliTiming, IsInTheRecord) {
    const json record = json::parse(run_tiny({"--json"}).out);

    const json& run = record.at("makespan");
    EXPECT_LE(run.at("low"), run.at("expected"));
    EXPECT_LE(run.at("expected"), run.at("high"));
    for (const json& step : record.at("steps")) {
        EXPECT_GT(step.at("device_time").at("expected"), 0) << step.at("name");
    }
}

TEST(CliTiming, IsLeftOutIfAsked) {
    const Ending ending = run_tiny({"--no-timing"});

    EXPECT_THAT(ending.out, Not(HasSubstr("makespan")));
    EXPECT_EQ(json::parse(run_tiny({"--no-timing", "--json"}).out).at("makespan"), nullptr);
}

TEST(CliTimingOnly, GivesTheTimesOfAFullRunAndChecksNothing) {
    const json full = json::parse(run_tiny({"--json"}).out);
    const json only = json::parse(run_tiny({"--timing-only", "--json"}).out);

    EXPECT_EQ(only.at("makespan"), full.at("makespan"));
    EXPECT_EQ(only.at("verdict"), "unchecked");
    EXPECT_EQ(only.at("maths"), false);
    EXPECT_THAT(run_tiny({"--timing-only"}).out,
                ContainsRegex("\nDONE 11 steps in [^\n]*, none checked \\(values are not "
                              "computed\\)\n$"));
}

// Instructions of sfpi vectors are counted while they run.
TEST(CliTimingOnly, GivesTheTimesOfFunctionsOfVectors) {
    const auto makespan = [](std::vector<std::string> more) {
        std::vector<std::string> arguments{"run", "fp8_quant_blocks", "--json", "--draws", "2"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json::parse(run_tessera(arguments).out).at("makespan");
    };

    EXPECT_EQ(makespan({"--timing-only"}), makespan({}));
}

TEST(CliTimingOnly, DoesNotDependOnThreads) {
    const auto times = [](const char* threads) {
        json record = json::parse(run_tiny({"--timing-only", "--json", "--threads", threads}).out);
        return std::pair(record.at("makespan"), record.at("steps")[3].at("device_time"));
    };

    EXPECT_EQ(times("1"), times("2"));
}

TEST(CliReport, HoldsTheTimesOfTheRun) {
    const ScratchFolder folder;
    const std::string report = folder.file("report");

    const Ending ending = run_tiny({"--report", report, "--json"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    const json written = json::parse(bytes_of(report + "/report.json"));
    EXPECT_EQ(written.at("makespan"), json::parse(ending.out).at("makespan"));
    EXPECT_EQ(written.at("launches").size(), 11U);
    EXPECT_EQ(written.at("moe").at("experts").size(), 8U);
    EXPECT_THAT(bytes_of(report + "/report.html"), HasSubstr("moe_v2_tiny"));
}

struct Case {
    const char* name;
    std::vector<std::string> options;
    const char* message;
};

class CliTimingErrors : public testing::TestWithParam<Case> {};

TEST_P(CliTimingErrors, NameWhatDoesNotGoTogether) {
    const Ending ending = run_tiny(GetParam().options);

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err, std::string("tessera: ") + GetParam().message + "\n");
}

INSTANTIATE_TEST_SUITE_P(
    Options, CliTimingErrors,
    testing::Values(Case{"NothingToDo",
                         {"--timing-only", "--no-timing"},
                         "--timing-only and --no-timing exclude each other"},
                    Case{"ReportWithoutTimes",
                         {"--report", "r", "--no-timing"},
                         "--report shows times, leave out --no-timing"},
                    Case{"OutputsWithoutValues",
                         {"--outputs", "o.safetensors", "--timing-only"},
                         "--outputs needs values, leave out --timing-only"},
                    Case{"ProfileAsJson",
                         {"--profile-host", "--json"},
                         "--profile-host prints text, leave out --json"},
                    Case{"ReportWithoutName", {"--report", ""}, "--report: the name is empty"},
                    Case{"ReportIntoAFile",
                         {"--report", "/dev/null"},
                         "--report /dev/null: is a file, allowed: a folder"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tessera::test
