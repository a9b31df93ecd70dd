// SPDX-License-Identifier: Apache-2.0
// What a predicted time may be: replays under constants drawn within their ranges, and beside
// those the error of the model in each regime that decides the time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/timing/regime.hpp"
#include "tessera/predicted_time.hpp"

namespace tessera::report {

/// A regime's part in a time, and how far the model is off in it (ModelErrorSpec).
struct RegimeError {
    double share = 0;
    double error = 0;
};

/// One time of a run or a launch, as often as constants were drawn.
struct Ensemble {
    std::vector<Millicycles> draws;  ///< the same draw of constants at the same place in any run
    std::array<RegimeError, timing::kNumRegimes> regimes{};
    double shared = 0;  ///< of the variance of errors: what two runs have in common
};

/// Which of two runs that are compared: errors that they do not share are others in each.
enum class Side : std::uint8_t { A, B };

/// How many samples an ensemble gives, rounded down to a multiple of its draws: errors of the model
/// cost no replay, so percentiles are as fine with few draws.
inline constexpr std::size_t kNumSamples = 256;

/// Times in millicycles: each draw under several errors of the model. Sample i of one side and
/// sample i of the other are a pair if both have as many draws; none without draws.
[[nodiscard]] std::vector<double> samples_of(const Ensemble& ensemble, Side side);

/// The value below which a share of values lies: the nearest rank. Precondition   there are some.
[[nodiscard]] double percentile(std::vector<double> values, double share);

inline constexpr double kLowShare = 0.05;
inline constexpr double kHighShare = 0.95;

/// The 5th and 95th percentile of the ensemble around the expected time, which is the replay under
/// constants as they are stated. Each constant's stated value is the median of its draws, so it is
/// near the ensemble's median; an interval is widened to hold it where it lies outside. Without
/// draws all three are the expected time.
[[nodiscard]] PredictedTime predicted(Millicycles expected, const Ensemble& ensemble);

/// Shares of a path in regimes, with the errors that `spec` states for them.
[[nodiscard]] Ensemble make_ensemble(const timing::RegimeTimes& times, const ModelErrorSpec& spec);

}  // namespace tessera::report
