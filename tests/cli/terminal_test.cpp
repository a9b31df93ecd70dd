// SPDX-License-Identifier: Apache-2.0
// Output of a run in a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "runtime/report/text_style.hpp"
#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string without_escapes(const std::string& text) {
    static const std::regex kEscape("\033\\[[0-9;]*[a-zA-Z]");
    return std::regex_replace(text, kEscape, "");
}

TEST(CliTerminal, HasProgressAndColours) {
    const std::string shown = run_in_terminal({"run", "moe_v2_tiny"}, 120);

    EXPECT_THAT(shown, HasSubstr("\033[K[4/11] gate"));
    EXPECT_THAT(shown, HasSubstr("\033[1;32mPASS\033[0m 11 of 11"));
    EXPECT_THAT(shown, HasSubstr("\033[1;32mok\033[0m"));
}

TEST(CliTerminal, ShowsHowFarReplaysAre) {
    EXPECT_THAT(
        run_in_terminal({"advise", "vector_add"}, 100),
        AllOf(HasSubstr("\033[K[1/1] recording eltwise"), HasSubstr("\033[Kreplaying each rule")));
    EXPECT_THAT(run_in_terminal({"compare", "vector_add", "--set-b", "seed=9"}, 100),
                HasSubstr("\033[Kreplaying: 0 %"));
}

TEST(CliTerminal, HasNoProgressIfQuiet) {
    EXPECT_THAT(without_escapes(run_in_terminal({"run", "moe_v2_tiny", "--quiet"}, 80)),
                testing::MatchesRegex("PASS [^\n]*\n"));
}

TEST(CliTerminal, FitsTablesAndMapsIntoItsWidth) {
    constexpr unsigned short kColumns = 60;
    std::istringstream lines(without_escapes(
        run_in_terminal({"run", "moe_v2_tiny", "--no-timing", "--full"}, kColumns)));

    for (std::string line; std::getline(lines, line);) {
        const bool is_table = line.starts_with("  ");
        EXPECT_TRUE(!is_table || report::columns_of(line) <= kColumns) << line;
    }
}

TEST(CliTerminal, FitsItsFirstScreenIntoItsWidth) {
    constexpr unsigned short kColumns = 72;
    std::istringstream lines(without_escapes(run_in_terminal({"run", "moe_v2_tiny"}, kColumns)));

    for (std::string line; std::getline(lines, line);) {
        EXPECT_TRUE(!line.starts_with("  ") || report::columns_of(line) <= kColumns) << line;
    }
}

}  // namespace
}  // namespace tessera::test
