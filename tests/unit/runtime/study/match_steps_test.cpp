// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runtime/study/compare.hpp"
#include "tests/unit/runtime/study/figures.hpp"

namespace tessera::compare {
namespace {

std::vector<StepFigures> steps_of(const std::vector<std::string>& names) {
    std::vector<StepFigures> steps;
    for (const std::string& name : names) {
        steps.push_back(test::step_of(name, 0, 0, 0));
    }
    return steps;
}

// "gate=gate -=silu_mul mul=-": names in A and B.
std::string matched(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    const auto steps_a = steps_of(a);
    const auto steps_b = steps_of(b);
    std::string text;
    for (const StepPair& pair : match_steps(steps_a, steps_b)) {
        text += text.empty() ? "" : " ";
        text += (pair.a == nullptr ? "-" : pair.a->name) + "=" +
                (pair.b == nullptr ? "-" : pair.b->name);
    }
    return text;
}

TEST(MatchSteps, SetsStepsOfOneNameSideBySide) {
    EXPECT_EQ(matched({"gate", "up"}, {"gate", "up"}), "gate=gate up=up");
}

TEST(MatchSteps, KeepsStepsThatOneRunLacks) {
    EXPECT_EQ(matched({"up", "silu", "mul", "down"}, {"up", "silu_mul", "down"}),
              "up=up silu=- mul=- -=silu_mul down=down");
}

TEST(MatchSteps, SetsTheSecondOfANameBesideTheSecond) {
    EXPECT_EQ(matched({"copy", "copy"}, {"copy", "gate", "copy"}), "copy=copy -=gate copy=copy");
    EXPECT_EQ(matched({"copy", "copy"}, {"copy"}), "copy=copy copy=-");
}

TEST(MatchSteps, KeepsWhatFollowsTheLastPair) {
    EXPECT_EQ(matched({"gate"}, {"gate", "up"}), "gate=gate -=up");
    EXPECT_EQ(matched({}, {"up"}), "-=up");
}

}  // namespace
}  // namespace tessera::compare
