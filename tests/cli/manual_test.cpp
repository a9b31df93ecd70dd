// SPDX-License-Identifier: Apache-2.0
// The man page and shell completions follow the help texts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

/// Returns the first words of the lines below "Subcommands:" of `tessera --help`.
std::vector<std::string> commands_of_help() {
    std::istringstream help(run_tessera({"--help"}).out);
    std::vector<std::string> commands;
    std::string line;
    while (std::getline(help, line) && line != "Subcommands:") {
    }
    while (std::getline(help, line) && line.starts_with("  ")) {
        commands.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return commands;
}

/// Returns bash's completions of the last of `words`, with the completion loaded; sorted.
std::vector<std::string> completed(const std::string& words) {
    const ScratchFolder folder;
    const std::string script = folder.write("tessera.bash", run_tessera({"manual", "bash"}).out);
    const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + words +
                                "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tessera; "
                                "printf \"%s\\n\" \"${COMPREPLY[@]}\" | sort'";
    FILE* pipe = popen(command.c_str(), "r");
    std::vector<std::string> lines;
    std::array<char, 256> line{};
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
        lines.emplace_back(line.data());
        lines.back().pop_back();
    }
    EXPECT_EQ(pclose(pipe), 0);
    return lines;
}

TEST(CliManual, OfEachKindNamesEveryCommandOfHelp) {
    const std::vector<std::string> commands = commands_of_help();
    ASSERT_THAT(commands, IsSupersetOf({"run", "list"}));

    const std::string man = run_tessera({"manual", "man"}).out;
    const std::string bash = run_tessera({"manual", "bash"}).out;
    const std::string zsh = run_tessera({"manual", "zsh"}).out;

    for (const std::string& command : commands) {
        EXPECT_THAT(man, HasSubstr("\n.SS tessera " + command + "\n"));
        EXPECT_THAT(bash, HasSubstr("\n        ' " + command + "') options='-h --help"));
        EXPECT_THAT(zsh, HasSubstr("\n        ' " + command + "')\n            _arguments"));
    }
}

TEST(CliManual, IsNotAmongTheCommandsOfHelp) {
    EXPECT_THAT(commands_of_help(), Not(Contains("manual")));
}

TEST(CliManual, ManPageHasOptionsWithTheirValues) {
    const std::string man = run_tessera({"manual", "man"}).out;

    EXPECT_THAT(man, HasSubstr(".TP\n\\fB\\-\\-threads\\fR \\fIN\\fR\nWorker threads"));
    EXPECT_THAT(man, HasSubstr(".SH EXIT STATUS\nExit codes: 0 success"));
}

TEST(CliManual, BashCompletesCommands) {
    EXPECT_THAT(completed("tessera re"), ElementsAre("retime"));
}

TEST(CliManual, BashCompletesOptionsOfTheCommand) {
    EXPECT_THAT(completed("tessera run --inp"), ElementsAre("--inputs"));
    EXPECT_THAT(completed("tessera --log-level info list --in"), ElementsAre(""));
}

TEST(CliManual, BashCompletesWhatAnArgumentMayBe) {
    EXPECT_THAT(completed("tessera list c"), ElementsAre("configs"));
}

TEST(CliManual, BashLeavesOtherArgumentsToFiles) {
    EXPECT_THAT(completed("tessera run mo"), ElementsAre(""));
}

TEST(CliManual, OfAnotherKindIsRefused) {
    const Ending ending = run_tessera({"manual", "fish"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(
        ending.err,
        "tessera: WHAT: 'fish' is unknown. Allowed: bash, man, zsh; see tessera manual --help\n");
}

}  // namespace
}  // namespace tessera::test
