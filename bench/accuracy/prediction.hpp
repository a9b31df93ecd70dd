// SPDX-License-Identifier: Apache-2.0
// A predicted figure with its interval.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "emu/timing/regime.hpp"

namespace tessera::score {

/// The figure under draws of constants and errors of the model, as one of two rows that are
/// compared has it and as the other has it (report::Side). Empty where it was worked out otherwise.
struct PredictionSamples {
    std::vector<double> a;
    std::vector<double> b;
};

/// `low` and `high` are the 5th and 95th percentile of an ensemble (report::predicted), or come
/// from the ends of the constants' ranges where a formula gives the figure. Less time for one act
/// can, now and then, make another wait longer: `expected` lies between them all the same.
struct Prediction {
    double low = 0;
    double expected = 0;
    double high = 0;
    PredictionSamples samples{};
    std::optional<timing::Regime> regime{};  ///< that decides most of the time
    double model_error = 0;                  ///< in that regime, as the device model states it

    /// What holds all three, the ends in any order.
    [[nodiscard]] static Prediction within(double one_end, double expected, double other_end) {
        return {std::min({one_end, expected, other_end}), expected,
                std::max({one_end, expected, other_end})};
    }

    /// The same figure by another measure: `convert` of each.
    template <class Convert>
    [[nodiscard]] Prediction as(const Convert& convert) const {
        return combined(*this, *this, [&](double figure, double) { return convert(figure); });
    }

    /// A figure made of two: `combine` of the low ends, of the high ends, and sample by sample.
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

/// On the line through `one` (one unit of work) and `two` (two units): what `units` of it take.
[[nodiscard]] inline Prediction extended(const Prediction& one, const Prediction& two,
                                         double units) {
    return Prediction::combined(one, two, [&](double first, double second) {
        return first + (second - first) * (units - 1);
    });
}

}  // namespace tessera::score
