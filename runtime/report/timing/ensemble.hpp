// SPDX-License-Identifier: Apache-2.0
// Distribution of a predicted time: replays under constants drawn within their ranges, combined
// with the model's error in each regime that bounds the time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/timing/regime.hpp"
#include "tessera/predicted_time.hpp"

namespace tessera::report {

/// Share of a regime in a time, and the model's error in that regime (ModelErrorSpec).
struct RegimeError {
    double share = 0;
    double error = 0;
};

/// One time of a run or a launch under each draw of constants.
struct Ensemble {
    std::vector<Millicycles> draws;  ///< an index has the same draw of constants in every run
    std::array<RegimeError, timing::kNumRegimes> regimes{};
    double shared = 0;  ///< share of the errors' variance that two runs have in common
};

/// Side of a comparison of two runs; each side has its own draw of the errors that are not shared.
enum class Side : std::uint8_t { A, B };

/// Number of samples of an ensemble, rounded down to a multiple of its draws. Errors of the model
/// need no replay, so percentiles are fine even with few draws.
inline constexpr std::size_t kNumSamples = 256;

/// Returns times in millicycles: each draw under several errors of the model. Sample i of both
/// sides are a pair if both have the same number of draws. Returns none without draws.
[[nodiscard]] std::vector<double> samples_of(const Ensemble& ensemble, Side side);

/// Returns the value below which the share of values is, by the nearest rank.
/// Precondition   there are values.
[[nodiscard]] double percentile(std::vector<double> values, double share);

inline constexpr double kLowShare = 0.05;
inline constexpr double kHighShare = 0.95;

/// Returns the 5th and 95th percentile of the ensemble with the expected time, which is the replay
/// under the stated constants. Each stated value is the median of its draws, so the expected time
/// is near the ensemble's median; the interval is widened if it does not contain it. Without draws
/// all three are the expected time.
[[nodiscard]] PredictedTime predicted(Millicycles expected, const Ensemble& ensemble);

/// Returns the shares of a path in regimes, with the errors that `spec` states for them.
[[nodiscard]] Ensemble make_ensemble(const timing::RegimeTimes& times, const ModelErrorSpec& spec);

}  // namespace tessera::report
