// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/focus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "runtime/report/timing/drawing.hpp"
#include "tessera/errors.hpp"
#include "tests/unit/runtime/report/timing/small_launch.hpp"

namespace tessera::report {
namespace {

using testing::ElementsAre;

TEST(Focus, ReadsStepDeviceCoreAndWindow) {
    const std::vector<std::string> words{"step=gate", "device=2", "core=4,0", "window=100..200"};

    const Focus focus = parse_focus(words);

    EXPECT_EQ(focus.step, "gate");
    EXPECT_EQ(focus.device, 2);
    EXPECT_EQ(focus.core, (CoreCoord{4, 0}));
    EXPECT_EQ(focus.from, 100 * kCycle);
    EXPECT_EQ(focus.to, 200 * kCycle);
}

TEST(Focus, DoesNotNarrowWhatItDoesNotName) {
    const Focus focus = parse_focus(std::vector<std::string>{"device=1"});

    EXPECT_TRUE(focus.holds_launch("any"));
    EXPECT_TRUE(focus.holds_core(1, {7, 7}));
    EXPECT_FALSE(focus.holds_core(0, {7, 7}));
}

struct Mistake {
    const char* name;
    std::vector<std::string> words;
    const char* message;
};

class FocusMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(FocusMistakes, AreNamed) {
    try {
        (void)parse_focus(GetParam().words);
        FAIL() << "no error";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), GetParam().message);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Words, FocusMistakes,
    testing::Values(
        Mistake{"OtherKey",
                {"row=3"},
                "--focus row=3: allowed: step=NAME, device=N, core=X,Y, window=FROM..TO"},
        Mistake{"NoName",
                {"step="},
                "--focus step=: allowed: step=NAME, device=N, core=X,Y, window=FROM..TO"},
        Mistake{"Twice", {"device=1", "device=2"}, "--focus device=2: device is given twice"},
        Mistake{"NoNumber", {"device=one"}, "--focus device=one: one is not a whole number"},
        Mistake{
            "HalfAPlace", {"core=4"}, "--focus core=4: allowed: two numbers with , between them"},
        Mistake{"EmptyWindow",
                {"window=20..20"},
                "--focus window=20..20: allowed: cycles FROM..TO with FROM below TO"}),
    [](const auto& test) { return std::string(test.param.name); });

/// Returns the drawn part of the small launch in cycles: the ends of its stretches by thread.
std::vector<std::vector<Millicycles>> drawn(const std::vector<std::string>& words) {
    const TimingReport report = small_report({.focus = parse_focus(words)});
    std::vector<std::vector<Millicycles>> threads;
    for (const ThreadReport& thread : report.launches[0].threads) {
        threads.emplace_back();
        for (const TimelinePoint& point : thread.points) {
            threads.back().push_back(point.end / kCycle);
        }
    }
    return threads;
}

TEST(Focus, DrawsTheCoreThatItNamesAlone) {
    EXPECT_THAT(drawn({"core=1,0"}), ElementsAre(ElementsAre(), ElementsAre(), ElementsAre(),
                                                 ElementsAre(), ElementsAre(800, 900, 1000)));
    EXPECT_TRUE(small_report({.focus = parse_focus(std::vector<std::string>{"core=1,0"})})
                    .launches[0]
                    .is_drawn_in_part);
}

// The writer waits until 800 and works until 900. The part outside of the window is one stretch.
TEST(Focus, DrawsAWindowOfTheStepOrOfTheRun) {
    EXPECT_THAT(drawn({"step=gate", "core=0,0", "window=150..250"})[0],
                ElementsAre(100, 200, 700, 1000));
    EXPECT_THAT(drawn({"step=gate", "core=0,0", "window=750..800"})[0], ElementsAre(700, 1000));
    // The launch begins at cycle 50 of the run: 740 there is 690 here.
    EXPECT_THAT(drawn({"core=0,0", "window=740..745"})[0], ElementsAre(200, 700, 1000));
}

TEST(Focus, DrawsNothingOfOtherSteps) {
    EXPECT_THAT(drawn({"step=up"}), testing::Each(testing::IsEmpty()));
}

}  // namespace
}  // namespace tessera::report
