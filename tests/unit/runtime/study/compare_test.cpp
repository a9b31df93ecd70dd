// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tessera/timing_spec.hpp"
#include "tests/unit/runtime/study/figures.hpp"

namespace tessera::compare {
namespace {

using test::run_of;
using test::step_of;

/// Returns 100 draws: `num_slower` of them are slower than 1000 by one.
report::Ensemble draws_around(std::size_t num_slower) {
    report::Ensemble ensemble{.draws = std::vector<Millicycles>(100, 999)};
    std::fill_n(ensemble.draws.begin(), num_slower, 1001);
    return ensemble;
}

PairedDifference against_1000(Millicycles expected, const report::Ensemble& ensemble) {
    const report::Ensemble same{.draws = std::vector<Millicycles>(ensemble.draws.size(), 1000)};
    return paired_difference({{1000, 1000, 1000}, same, Hertz{1e9}},
                             {{expected, expected, expected}, ensemble, Hertz{1e9}});
}

TEST(PairedDifference, HasTheShareOfPairsWithTheExpectedSign) {
    EXPECT_EQ(against_1000(1001, draws_around(95)).verdict.grade, Grade::Robust);
    EXPECT_EQ(against_1000(1001, draws_around(95)).verdict.share, 0.95);
    EXPECT_EQ(against_1000(999, draws_around(5)).verdict.grade, Grade::Robust);
    EXPECT_EQ(against_1000(999, draws_around(95)).verdict.grade, Grade::Unlikely)
        << "the expected difference is the exception";
}

TEST(PairedDifference, IsEqualOnlyIfAllTimesAreTheSame) {
    EXPECT_EQ(against_1000(1000, {.draws = {1000, 1000}}).verdict.grade, Grade::Equal);
    EXPECT_EQ(against_1000(1000, {.draws = {1000, 1001}}).verdict.grade, Grade::EvenOdds);
}

// Two times of one regime differ by 3 %. With independent errors of a factor of 1.5 this is below
// the noise. Fully shared errors scale both times, and the sign is certain.
TEST(PairedDifference, CountsErrorsOfTheModelThatRunsDoNotShare) {
    report::Ensemble a{.draws = {1000, 1000}};
    a.regimes[static_cast<std::size_t>(timing::Regime::ManyReads)] = {1, 0.5};
    report::Ensemble b = a;
    b.draws = {1030, 1030};
    const auto verdict = [&](double shared) {
        a.shared = b.shared = shared;
        return paired_difference({{0, 1000, 0}, a, Hertz{1e9}}, {{0, 1030, 0}, b, Hertz{1e9}})
            .verdict.grade;
    };

    EXPECT_NE(verdict(0), Grade::Robust);
    EXPECT_EQ(verdict(1), Grade::Robust);
}

// The intervals overlap (1000 to 3000 and 900 to 2900), yet B is faster in each draw. They are
// compared in pairs, since both runs would use the same machine.
TEST(Compare, PairsTheDraws) {
    const auto a = run_of("a", {step_of("gate", 1'000'000, 2'000'000, 3'000'000)});
    const auto b = run_of("b", {step_of("gate", 900'000, 1'900'000, 2'900'000)});

    const Comparison comparison = compare(a, b);

    EXPECT_EQ(comparison.run.verdict.grade, Grade::Robust);
    EXPECT_EQ(comparison.run.difference.low, -100);
    EXPECT_EQ(comparison.run.difference.expected, -100);
    EXPECT_EQ(comparison.run.difference.high, -100);
}

TEST(Compare, LeansIfTwoOfThreeDrawsAgree) {
    const auto a = run_of("a", {step_of("gate", 1'000'000, 2'000'000, 3'000'000)});
    const auto b = run_of("b", {step_of("gate", 1'100'000, 1'900'000, 2'000'000)});

    const Comparison comparison = compare(a, b);

    ASSERT_EQ(comparison.steps.size(), 1U);
    EXPECT_EQ(comparison.steps[0].verdict.grade, Grade::Leaning);
    EXPECT_EQ(comparison.steps[0].difference.low, -1000);
    EXPECT_EQ(comparison.steps[0].difference.high, 100);
    EXPECT_NEAR(comparison.steps[0].verdict.share, 2.0 / 3, 1e-12);
}

TEST(Compare, JudgesEachStepAndTheRunByThemselves) {
    const auto a = run_of("a", {step_of("gate", 5'000, 6'000, 7'000), step_of("up", 1, 2, 3)});
    const auto b = run_of("b", {step_of("gate", 4'000, 5'000, 6'000), step_of("up", 2, 2, 2)});

    const Comparison comparison = compare(a, b);

    EXPECT_EQ(comparison.steps[0].verdict.grade, Grade::Robust);
    EXPECT_EQ(comparison.steps[1].verdict.grade, Grade::EvenOdds);
    EXPECT_EQ(comparison.run.verdict.grade, Grade::Robust);
}

TEST(Compare, ComparesTimesNotCyclesWhereClocksDiffer) {
    auto a = run_of("a", {step_of("gate", 1'000'000, 1'000'000, 1'000'000)});
    auto b = run_of("b", {step_of("gate", 1'200'000, 1'200'000, 1'200'000)});
    b.clock = Hertz{2e9};

    const Comparison comparison = compare(a, b);

    EXPECT_FALSE(comparison.is_same_clock);
    EXPECT_EQ(comparison.run.difference.expected, 600 - 1000);
}

TEST(Compare, SplitsTheDifferenceByWhatThePathIsSpentOn) {
    auto a = run_of("a", {step_of("gate", 0, 100'000, 0)});
    auto b = run_of("b", {step_of("gate", 0, 130'000, 0)});
    a.steps[0].path.activities = {{"matmul", 90'000}, {"pack", 10'000}};
    b.steps[0].path.activities = {{"matmul", 90'000}, {"wait for CB data", 40'000}};

    const StepComparison step = compare(a, b).steps[0];

    ASSERT_EQ(step.activities.size(), 3U);
    EXPECT_EQ(step.activities[0].name, "wait for CB data");
    EXPECT_EQ(step.activities[0].b - step.activities[0].a, 40);
    EXPECT_EQ(step.activities[1].name, "pack");
    EXPECT_EQ(step.activities[1].b - step.activities[1].a, -10);
    EXPECT_EQ(step.activities[2].name, "matmul");
    EXPECT_EQ(step.activities[2].b - step.activities[2].a, 0);
}

// 10 cycles between the two launches of A, none in B, which has one launch.
TEST(Compare, CountsTheGapsBetweenLaunchesAsAPart) {
    const auto a = run_of("a", {step_of("silu", 1, 50'000, 1), step_of("mul", 1, 50'000, 1)});
    const auto b = run_of("b", {step_of("silu_mul", 1, 100'000, 1)});

    const StepComparison run = compare(a, b).run;

    double total = 0;
    for (const Contribution& part : run.activities) {
        total += part.b - part.a;
    }
    EXPECT_EQ(total, run.difference.expected);
    EXPECT_EQ(run.activities[0].name, "between launches");
    EXPECT_EQ(run.activities[0].a, 10);
    EXPECT_EQ(run.activities[0].b, 0);
}

TEST(Compare, NamesTheConstantsThatAloneChangeTheSign) {
    const auto a = run_of("a", {step_of("gate", 9'000, 10'000, 11'000)});
    const auto b = run_of("b", {step_of("gate", 8'000, 9'000, 10'000)});
    const MovedConstant same{"timing.noc.hop", "8 cycles", a, b};
    const MovedConstant other{"timing.dram.read_latency", "900 cycles", a,
                              run_of("b", {step_of("gate", 0, 10'500, 0)})};

    const Comparison robust = compare(a, b, {same});
    const Comparison comparison = compare(a, b, {same, other});

    EXPECT_TRUE(robust.run.flips.empty());
    EXPECT_EQ(robust.num_constants, 1U);
    EXPECT_EQ(comparison.num_constants, 2U);
    EXPECT_EQ(comparison.run.verdict.grade, Grade::Robust) << "the end of a range is not a draw";
    ASSERT_EQ(comparison.run.flips.size(), 1U);
    EXPECT_EQ(comparison.run.flips[0].key, "timing.dram.read_latency");
    EXPECT_EQ(comparison.run.flips[0].value, "900 cycles");
    EXPECT_EQ(comparison.run.flips[0].difference, 0.5);
}

}  // namespace
}  // namespace tessera::compare
