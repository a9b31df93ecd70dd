// SPDX-License-Identifier: Apache-2.0
// Log output of a command; the log is silent by default.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/tessera_process.hpp"

namespace tessera::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Environment variable of the children that a test starts.
class LogVariable {
public:
    explicit LogVariable(const char* levels) { setenv("TESSERA_LOG", levels, 1); }
    ~LogVariable() { unsetenv("TESSERA_LOG"); }
    LogVariable(const LogVariable&) = delete;
    LogVariable& operator=(const LogVariable&) = delete;
};

const std::string kClock = "[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\\.[0-9][0-9][0-9] ";

TEST(CliLog, IsQuietUnlessAsked) {
    const Ending ending = run_tessera({"run", "vector_add"});

    EXPECT_EQ(ending.exit_code, 0);
    EXPECT_EQ(ending.err, "");
}

TEST(CliLog, ShowsFilesLaunchesAndReplaysOnStandardError) {
    const Ending ending = run_tessera({"run", "vector_add", "--quiet", "--log-level", "info"});

    EXPECT_THAT(ending.out, ContainsRegex("^PASS 1 of 1 steps checked, [^\n]*\n$"));
    EXPECT_THAT(ending.err, ContainsRegex(kClock + "config info: reading .*/vector_add.yaml\n"));
    EXPECT_THAT(ending.err, ContainsRegex("config info: reading .*/wormhole_n150.yaml\n"));
    EXPECT_THAT(ending.err, ContainsRegex("launch info: eltwise: 64 cores and 192 kernel threads "
                                          "of 1 devices, [0-9]+ host threads, [0-9.]+ s\n"));
    EXPECT_THAT(ending.err,
                ContainsRegex("replay info: eltwise: [0-9]+ events in 1 parts, 0 of them as an "
                              "identical device; (1 replay|times from the cache), 32 "
                              "draws, [0-9.]+ s\n"));
    EXPECT_THAT(ending.err, Not(HasSubstr(" debug: ")));
}

TEST(CliLog, CountsTheDevicesThatAreReplayedAsAnother) {
    const Ending ending = run_tessera(
        {"run", "vector_add", "--set", "mesh.shape=[1,2]", "--log-level", "replay=info"});

    EXPECT_THAT(ending.err, HasSubstr(" in 2 parts, 1 of them as an identical device; "));
}

TEST(CliLog, CountsTheDevicesWhoseKernelsRunAsThoseOfAnother) {
    const std::vector<std::string> command{"run",         "copy",       "--set", "mesh.shape=[1,3]",
                                           "--log-level", "launch=info"};
    std::vector<std::string> timed = command;
    timed.emplace_back("--timing-only");

    EXPECT_THAT(run_tessera(timed).err,
                ContainsRegex(" cores and [0-9]+ kernel threads of 3 devices, 2 of them as an "
                              "identical device, [0-9]+ host threads"));
    EXPECT_THAT(run_tessera(command).err, HasSubstr(" kernel threads of 3 devices, "));
    EXPECT_THAT(run_tessera(command).err, Not(HasSubstr("identical")));
}

TEST(CliLog, ShowsOneAreaAlone) {
    const Ending ending =
        run_tessera({"check", "vector_add", "--set", "seed=9", "--log-level", "config=debug"});

    EXPECT_THAT(ending.err, HasSubstr("config debug: seed = 9, set by --set "
                                      "seed=9\n"));
    EXPECT_THAT(ending.err, Not(HasSubstr(" launch ")));
}

TEST(CliLog, TakesItsLevelsFromTheEnvironment) {
    const LogVariable levels("config=info");

    EXPECT_THAT(run_tessera({"check", "vector_add"}).err, HasSubstr("config info: reading "));
}

TEST(CliLog, PrefersTheOptionToTheEnvironment) {
    const LogVariable levels("debug");

    EXPECT_EQ(run_tessera({"--log-level", "warn", "check", "vector_add"}).err, "");
}

TEST(CliLog, RefusesAnUnknownLevel) {
    const Ending ending = run_tessera({"run", "vector_add", "--log-level", "loud"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.out, "");
    EXPECT_EQ(
        ending.err,
        "tessera: --log-level loud: unknown level: 'loud', allowed: debug, info, warn, error, "
        "off\n");
}

TEST(CliLog, RefusesAnUnknownAreaOfTheEnvironment) {
    const LogVariable levels("noc=info");

    const Ending ending = run_tessera({"check", "vector_add"});

    EXPECT_EQ(ending.exit_code, 2);
    EXPECT_EQ(ending.err,
              "tessera: TESSERA_LOG=noc=info: unknown area: 'noc', allowed: config, jit, launch, "
              "replay\n");
}

}  // namespace
}  // namespace tessera::test
