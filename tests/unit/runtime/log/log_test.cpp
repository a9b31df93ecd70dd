// SPDX-License-Identifier: Apache-2.0
#include "runtime/log/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tessera/errors.hpp"

namespace tessera::log {
namespace {

using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

// Levels apply to the whole process; each test restores them.
class Log : public testing::Test {
protected:
    ~Log() override { set_levels("warn", "test"); }
};

std::string refusal_of(const std::string& levels) {
    try {
        set_levels(levels, "--log-level " + levels);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no refusal";
}

TEST_F(Log, ShowsNothingByDefault) {
    EXPECT_FALSE(is_any_shown(Level::Info));
    EXPECT_FALSE(is_any_shown(Level::Debug));
}

TEST_F(Log, WritesAreaLevelAndMessageToStandardError) {
    set_levels("info", "test");
    CaptureStderr();

    info(Area::Launch, "{} cores", 64);

    EXPECT_THAT(GetCapturedStderr(),
                testing::ContainsRegex(
                    "^[0-9][0-9]:[0-9][0-9]:[0-9][0-9].[0-9]* launch info: 64 cores\n$"));
}

TEST_F(Log, FormatsNothingBelowTheLevelOfTheArea) {
    set_levels("info,jit=debug", "test");
    CaptureStderr();

    debug(Area::Config, "left out");
    debug(Area::Jit, "kept");

    EXPECT_THAT(GetCapturedStderr(), testing::EndsWith(" jit debug: kept\n"));
}

TEST_F(Log, LetsTheLaterSettingWin) {
    set_levels("jit=debug,off", "test");

    EXPECT_FALSE(is_shown(Area::Jit, Level::Info));
}

TEST_F(Log, TakesMessagesWithBracesAsTheyAre) {
    set_levels("info", "test");
    CaptureStderr();

    write(Area::Replay, Level::Info, "{} is not a format here");

    EXPECT_THAT(GetCapturedStderr(), testing::EndsWith(": {} is not a format here\n"));
}

TEST_F(Log, RefusesUnknownLevelsAndAreasWithThoseThatAre) {
    EXPECT_EQ(refusal_of("loud"),
              "--log-level loud: unknown level: 'loud', allowed: debug, info, warn, error, off");
    EXPECT_EQ(refusal_of("jit=9"),
              "--log-level jit=9: unknown level: '9', allowed: debug, info, warn, error, off");
    EXPECT_EQ(refusal_of("noc=info"),
              "--log-level noc=info: unknown area: 'noc', allowed: config, jit, launch, replay");
}

TEST_F(Log, RefusesAnEmptyItem) {
    EXPECT_EQ(refusal_of(""),
              "--log-level : unknown level: '', allowed: debug, info, warn, error, off");
    EXPECT_EQ(refusal_of("info,,jit=debug"),
              "--log-level info,,jit=debug: unknown level: '', allowed: debug, info, warn, error, "
              "off");
}

}  // namespace
}  // namespace tessera::log
