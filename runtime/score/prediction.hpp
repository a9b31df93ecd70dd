// SPDX-License-Identifier: Apache-2.0
// A predicted figure with its interval.
#pragma once

#include <algorithm>

namespace tessera::score {

/// `low` and `high` come from the ends of the constants' ranges; `expected` lies between them
/// unless the model answers the other way round, which is kept as it is.
struct Prediction {
    double low = 0;
    double expected = 0;
    double high = 0;

    /// The same figure by another measure: `convert` of each, low and high put in order.
    template <class Convert>
    [[nodiscard]] Prediction as(const Convert& convert) const {
        const double one = convert(low);
        const double other = convert(high);
        return {std::min(one, other), convert(expected), std::max(one, other)};
    }
};

/// On the line through `one` (one unit of work) and `two` (two units): what `units` of it take.
[[nodiscard]] inline Prediction extended(const Prediction& one, const Prediction& two,
                                         double units) {
    const auto at = [&](double first, double second) {
        return first + (second - first) * (units - 1);
    };
    return {at(one.low, two.low), at(one.expected, two.expected), at(one.high, two.high)};
}

}  // namespace tessera::score
