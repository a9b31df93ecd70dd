// SPDX-License-Identifier: Apache-2.0
// tessera score: a few rows through the whole command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string kRows = std::string(TESSERA_SOURCE_DIR) + "/tests/golden/score/rows.csv";

std::string text_of(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

TEST(CliScore, ListsGroupsByArchitectureAndWhatItCannotExpress) {
    const Ending ending = run_tessera({"score", kRows});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, ContainsRegex("wormhole +noc_table +1 +0 +0.0 %"));
    EXPECT_THAT(ending.out, ContainsRegex("wormhole +op_eltwise +1 +1 "));
    EXPECT_THAT(ending.out, ContainsRegex("blackhole +noc_table +2 +2 .* 1\\.000"));
    EXPECT_THAT(ending.out, ContainsRegex("blackhole +mean of groups +2 +2 "));
    EXPECT_THAT(ending.out, ContainsRegex("1 +parameter num_txn_total is missing +four"));
    EXPECT_THAT(ending.out, ContainsRegex("1 +no program stands for the group outdoors +five"));
}

TEST(CliScore, WritesTheSameFileAtAnyNumberOfThreads) {
    const ScratchFolder scratch;
    const std::string one = scratch.file("one.csv");
    const std::string three = scratch.file("three.csv");

    EXPECT_EQ(run_tessera({"score", kRows, "--threads", "1", "--csv", one}).exit_code, 0);
    EXPECT_EQ(run_tessera({"score", kRows, "--threads", "3", "--csv", three}).exit_code, 0);

    EXPECT_EQ(text_of(one), text_of(three));
    EXPECT_THAT(text_of(one), HasSubstr("\ntwo,noc_table,blackhole,latency_incl_barrier,cycles,"));
    EXPECT_THAT(text_of(one), HasSubstr("five,outdoors,wormhole,time,us,,,,1,,,no program stands"));
}

TEST(CliScore, DrawsPredictedOverMeasuredByMechanism) {
    const ScratchFolder scratch;
    const std::string plot = scratch.file("plot.svg");

    EXPECT_EQ(run_tessera({"score", kRows, "--plot", plot}).exit_code, 0);

    EXPECT_THAT(text_of(plot), ContainsRegex("^<svg .*<circle .*</svg>\n$"));
}

TEST(CliScore, TakesTheRowsThatAreAskedFor) {
    const Ending ending =
        run_tessera({"score", kRows, "--arch", "blackhole", "--group", "noc_table", "--rows"});

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    EXPECT_THAT(ending.out, ContainsRegex("two +blackhole .* 4500 +cycles"));
    EXPECT_THAT(ending.out, Not(HasSubstr("wormhole")));
}

TEST(CliScore, PrintsRowsWithTheHostsSecondsAsJson) {
    const Ending ending = run_tessera({"score", kRows, "--arch", "blackhole", "--json"});

    const auto json = nlohmann::json::parse(ending.out);
    EXPECT_EQ(json.at("schema"), "tessera.score");
    EXPECT_EQ(json.at("rows")[0].at("id"), "one");
    EXPECT_GT(json.at("rows")[0].at("host_seconds"), 0);
    EXPECT_LE(json.at("rows")[0].at("low"), json.at("rows")[0].at("predicted"));
}

// Groups that take one or two seconds together; `tessera score --table` prints the page's table.
TEST(CliScore, PrintsTheLinesOfTheAccuracyPage) {
    const std::string page = text_of(std::string(TESSERA_SOURCE_DIR) + "/docs/accuracy.md");
    std::vector<std::string> command{"score", "--table"};
    for (const char* group : {"matmul_core", "nocev_epcc", "nocread_epcc", "op_eltwise",
                              "pgm_dispatch", "riscv_epcc", "sfpu", "tensix_epcc"}) {
        command.insert(command.end(), {"--group", group});
    }

    const Ending ending = run_tessera(command);

    EXPECT_EQ(ending.exit_code, 0) << ending.err;
    std::istringstream lines(ending.out);
    std::size_t compared = 0;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("| `")) {
            EXPECT_THAT(page, HasSubstr(line + "\n")) << "run tessera score --table";
            ++compared;
        }
    }
    EXPECT_EQ(compared, 8U);
}

TEST(CliScore, RefusesGroupsAndFilesThatAreNotThere) {
    const Ending group = run_tessera({"score", kRows, "--group", "indoors"});
    const Ending file = run_tessera({"score", "no/such.csv"});

    EXPECT_EQ(group.exit_code, 2);
    EXPECT_THAT(group.err, HasSubstr("--group indoors: " + kRows + " has no such group"));
    EXPECT_EQ(file.exit_code, 2);
    EXPECT_THAT(file.err, HasSubstr("no/such.csv: cannot open: No such file or directory"));
}

}  // namespace
}  // namespace tessera::test
