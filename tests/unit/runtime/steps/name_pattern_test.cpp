// SPDX-License-Identifier: Apache-2.0
#include "runtime/steps/name_pattern.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::pipeline {
namespace {

TEST(NamePattern, WithoutStarMatchesItselfOnly) {
    EXPECT_TRUE(patterns_overlap("gate", "gate"));
    EXPECT_FALSE(patterns_overlap("gate", "gat"));
    EXPECT_FALSE(patterns_overlap("gat", "gate"));
    EXPECT_TRUE(patterns_overlap("", ""));
}

TEST(NamePattern, WithStarMatchesAnyLettersAlsoNone) {
    EXPECT_TRUE(patterns_overlap("moe.*", "moe."));
    EXPECT_TRUE(patterns_overlap("*_up", "gate_up"));
    EXPECT_TRUE(patterns_overlap("a*b*c", "a1b2b3c"));
    EXPECT_FALSE(patterns_overlap("a*b*c", "a1b2b3"));
    EXPECT_TRUE(patterns_overlap("**", ""));
}

TEST(NamePattern, OverlapsAnotherPatternIfOneNameFitsBoth) {
    EXPECT_TRUE(patterns_overlap("gate_*", "*_up"));  // gate_up
    EXPECT_FALSE(patterns_overlap("gate_*", "down_*"));
    EXPECT_FALSE(patterns_overlap("*.a", "*.b"));
}

// A recursion over the letters of each star needs 10^11 calls for this pair.
TEST(NamePattern, OfManyStarsIsSoughtInNoTime) {
    std::string pattern;
    for (int i = 0; i < 20; ++i) {
        pattern += "*a";
    }
    EXPECT_FALSE(patterns_overlap(pattern + "b", std::string(40, 'a')));
}

}  // namespace
}  // namespace tessera::pipeline
