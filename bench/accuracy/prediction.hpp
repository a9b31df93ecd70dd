// SPDX-License-Identifier: Apache-2.0
// A predicted figure with its interval.
#pragma once

#include <algorithm>

namespace tessera::score {

/// `low` and `high` come from the ends of the constants' ranges. Less time for one act can, now and
/// then, make another wait longer: `expected` lies between them all the same.
struct Prediction {
    double low = 0;
    double expected = 0;
    double high = 0;

    /// What holds all three, the ends in any order.
    [[nodiscard]] static Prediction within(double one_end, double expected, double other_end) {
        return {std::min({one_end, expected, other_end}), expected,
                std::max({one_end, expected, other_end})};
    }

    /// The same figure by another measure: `convert` of each.
    template <class Convert>
    [[nodiscard]] Prediction as(const Convert& convert) const {
        return within(convert(low), convert(expected), convert(high));
    }
};

/// On the line through `one` (one unit of work) and `two` (two units): what `units` of it take.
[[nodiscard]] inline Prediction extended(const Prediction& one, const Prediction& two,
                                         double units) {
    const auto at = [&](double first, double second) {
        return first + (second - first) * (units - 1);
    };
    return Prediction::within(at(one.low, two.low), at(one.expected, two.expected),
                              at(one.high, two.high));
}

}  // namespace tessera::score
