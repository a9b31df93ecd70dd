// SPDX-License-Identifier: Apache-2.0
// A predicted figure with its interval.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "emu/timing/regime.hpp"

namespace tessera::score {

/// The figure under draws of constants and model errors, as first and as second row of a comparison
/// (report::Side). Empty if a formula gives the figure.
struct PredictionSamples {
    std::vector<double> a;
    std::vector<double> b;
};

/// A figure with its interval. `low` and `high` are the 5th and 95th percentile of an ensemble
/// (report::predicted). A formula takes them from the ends of the constants' ranges. A shorter time
/// of one act can lengthen another wait; `expected` is between `low` and `high` in any case.
struct Prediction {
    double low = 0;
    double expected = 0;
    double high = 0;
    PredictionSamples samples{};
    std::optional<timing::Regime> regime{};  ///< regime that determines most of the time
    double model_error = 0;                  ///< in that regime, as stated by the device model

    /// Returns the interval of all three values; the ends may come in any order.
    [[nodiscard]] static Prediction within(double one_end, double expected, double other_end) {
        return {std::min({one_end, expected, other_end}), expected,
                std::max({one_end, expected, other_end})};
    }

    /// Returns the figure in another unit: applies `convert` to each value.
    template <class Convert>
    [[nodiscard]] Prediction as(const Convert& convert) const {
        return combined(*this, *this, [&](double figure, double) { return convert(figure); });
    }

    /// Combines two figures: applies `combine` to the low ends, the high ends and each sample.
    template <class Combine>
    [[nodiscard]] static Prediction combined(const Prediction& first, const Prediction& second,
                                             const Combine& combine) {
        Prediction both =
            within(combine(first.low, second.low), combine(first.expected, second.expected),
                   combine(first.high, second.high));
        both.samples = {combined(first.samples.a, second.samples.a, combine),
                        combined(first.samples.b, second.samples.b, combine)};
        both.regime = first.regime;
        both.model_error = first.model_error;
        return both;
    }

private:
    template <class Combine>
    [[nodiscard]] static std::vector<double> combined(const std::vector<double>& first,
                                                      const std::vector<double>& second,
                                                      const Combine& combine) {
        std::vector<double> both;
        for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
            both.push_back(combine(first[i], second[i]));
        }
        return both;
    }
};

/// Extrapolates linearly from `one` (one unit of work) and `two` (two units) to `units` of work.
[[nodiscard]] inline Prediction extended(const Prediction& one, const Prediction& two,
                                         double units) {
    return Prediction::combined(one, two, [&](double first, double second) {
        return first + (second - first) * (units - 1);
    });
}

}  // namespace tessera::score
