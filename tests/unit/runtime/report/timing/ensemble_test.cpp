// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/ensemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tessera/timing_spec.hpp"

namespace tessera::report {
namespace {

using timing::Regime;

Ensemble ensemble_of(std::vector<Millicycles> draws) {
    return {.draws = std::move(draws)};
}

RegimeError& at(Ensemble& ensemble, Regime regime) {
    return ensemble.regimes[static_cast<std::size_t>(regime)];
}

TEST(Percentile, IsTheNearestRank) {
    std::vector<double> values(100);
    std::iota(values.begin(), values.end(), 1);

    EXPECT_EQ(percentile(values, 0.05), 5);
    EXPECT_EQ(percentile(values, 0.95), 95);
    EXPECT_EQ(percentile({3, 1, 2}, 0.05), 1);
    EXPECT_EQ(percentile({3, 1, 2}, 0.95), 3);
    EXPECT_EQ(percentile({7}, 0.5), 7);
}

TEST(Ensemble, WithoutDrawsLeavesTheExpectedTimeAlone) {
    const PredictedTime time = predicted(1000, {});

    EXPECT_EQ(time.low, 1000);
    EXPECT_EQ(time.high, 1000);
}

TEST(Ensemble, SpansItsDrawsWhereTheModelIsExact) {
    const PredictedTime time = predicted(1000, ensemble_of({900, 1010, 1200, 950}));

    EXPECT_EQ(time.low, 900);
    EXPECT_EQ(time.expected, 1000);
    EXPECT_EQ(time.high, 1200);
}

TEST(Ensemble, HoldsAnExpectedTimeThatNoDrawReaches) {
    const PredictedTime time = predicted(1000, ensemble_of({1100, 1200}));

    EXPECT_EQ(time.low, 1000);
    EXPECT_EQ(time.high, 1200);
}

// All time is in a regime with a 90 % error factor of 1.5. 5 % are below 1000 / 1.5 and 5 % above
// 1000 · 1.5, within the resolution of 256 samples.
TEST(Ensemble, WidensByTheErrorOfTheRegime) {
    Ensemble ensemble = ensemble_of({1'000'000});
    at(ensemble, Regime::ManyReads) = {1, 0.5};

    const PredictedTime time = predicted(1'000'000, ensemble);

    EXPECT_NEAR(static_cast<double>(time.low), 1e6 / 1.5, 0.06e6);
    EXPECT_NEAR(static_cast<double>(time.high), 1e6 * 1.5, 0.12e6);
}

TEST(Ensemble, CountsARegimeByItsShareOfThePath) {
    Ensemble all = ensemble_of({1'000'000});
    at(all, Regime::Links) = {1, 0.5};
    Ensemble tenth = all;
    at(tenth, Regime::Links).share = 0.1;

    const auto high = [](const Ensemble& e) {
        return static_cast<double>(predicted(1'000'000, e).high) - 1e6;
    };
    EXPECT_NEAR(high(tenth), high(all) / 10, 1);
}

TEST(Ensemble, GivesBothSidesTheErrorsThatTheyShare) {
    Ensemble ensemble = ensemble_of({1000, 2000});
    at(ensemble, Regime::ManyReads) = {1, 0.5};
    ensemble.shared = 1;
    EXPECT_EQ(samples_of(ensemble, Side::A), samples_of(ensemble, Side::B));

    ensemble.shared = 0.5;
    EXPECT_NE(samples_of(ensemble, Side::A), samples_of(ensemble, Side::B));
}

TEST(Ensemble, DrawsTheErrorsOfRegimesApart) {
    Ensemble reads = ensemble_of({1000});
    at(reads, Regime::ManyReads) = {1, 0.5};
    Ensemble writes = ensemble_of({1000});
    at(writes, Regime::ManyWrites) = {1, 0.5};

    EXPECT_NE(samples_of(reads, Side::A), samples_of(writes, Side::A));
}

TEST(Ensemble, HasTheSameDrawAtTheSamePlaceInEachRun) {
    const auto one = samples_of(ensemble_of({10, 20, 30}), Side::A);
    const auto two = samples_of(ensemble_of({11, 21, 31}), Side::B);

    ASSERT_EQ(one.size(), 255U) << "the largest multiple of 3 up to 256";
    ASSERT_EQ(two.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(two[i] - one[i], 1) << i;
    }
}

TEST(Ensemble, TakesSharesAndErrorsOfRegimes) {
    timing::RegimeTimes times{};
    times[static_cast<std::size_t>(Regime::Compute)] = 300;
    times[static_cast<std::size_t>(Regime::Links)] = 100;
    const Ensemble ensemble =
        make_ensemble(times, {.compute = 0.1, .links = 0.4, .launch = 0.2, .shared = 0.3});

    EXPECT_EQ(ensemble.regimes[static_cast<std::size_t>(Regime::Compute)].share, 0.75);
    EXPECT_EQ(ensemble.regimes[static_cast<std::size_t>(Regime::Links)].share, 0.25);
    EXPECT_EQ(ensemble.regimes[static_cast<std::size_t>(Regime::Links)].error, 0.4);
    EXPECT_EQ(ensemble.regimes[static_cast<std::size_t>(Regime::Launch)].share, 0);
    EXPECT_EQ(ensemble.shared, 0.3);
}

}  // namespace
}  // namespace tessera::report
