// SPDX-License-Identifier: Apache-2.0
// One mistake under `report:` of a run file, one message.
#include <gtest/gtest.h>

#include "tests/errors/config/config_mistake.hpp"

namespace tessera::test {
namespace {

/// Returns the message about a run file with this `report:` in its first line.
std::string refusal_of_report(const std::string& report) {
    return refusal_of_run(replaced(kRun, "mesh:", "report: " + report + "\nmesh:"));
}

TEST(ReportErrors, NameAnUnknownKey) {
    EXPECT_EQ(refusal_of_report("{token: 1}"),
              "run.yaml:1:10: report.token: unknown key, did you mean report.tokens?");
}

TEST(ReportErrors, NameStagesThatAreAList) {
    EXPECT_EQ(refusal_of_report("{stages: [up]}"),
              "run.yaml:1:18: report.stages: expected {name: [pattern, …]}, found a list of 1");
}

TEST(ReportErrors, NameAStageWithoutPatterns) {
    EXPECT_EQ(refusal_of_report("{stages: {up: u*}}"),
              "run.yaml:1:23: report.stages.up: expected a list of patterns, found 'u*'");
}

TEST(ReportErrors, NameAPatternThatFitsNoStep) {
    EXPECT_EQ(refusal_of_report("{stages: {up: [doubel]}}"),
              "run.yaml:1:24: report.stages.up: nothing is named doubel, did you mean double?");
}

TEST(ReportErrors, NameAPatternThatFitsNoTensor) {
    EXPECT_EQ(refusal_of_report("{memory: {weights: [x, 'z*']}}"),
              "run.yaml:1:32: report.memory.weights: nothing is named z*, allowed: double, x, y");
}

TEST(ReportErrors, AreAbsentForTensorsThatStepsWrite) {
    EXPECT_EQ(refusal_of_report("{memory: {weights: [x], results: ['*y', 'double.*']}}"), "");
}

// A search that tries each star at each letter takes hours.
TEST(ReportErrors, AreSoughtInNoTimeForPatternsOfManyStars) {
    const std::string letters(40, 'a');
    std::string pattern;
    for (int i = 0; i < 20; ++i) {
        pattern += "*a";
    }
    const std::string text = replaced(kRun, "name: double", "name: " + letters);

    EXPECT_EQ(refusal_of_run("report: {stages: {up: ['" + pattern + "b']}}\n" + text), "");
}

}  // namespace
}  // namespace tessera::test
