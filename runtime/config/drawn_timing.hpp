// SPDX-License-Identifier: Apache-2.0
// Draws all timing constants at random within their ranges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// Returns the place of draw `index` in the distribution of the constant `key`: 0 is the low end,
/// 1 the high end. It depends on the key, `index` and `count` only.
[[nodiscard]] double draw_place(const std::string& key, std::uint32_t count, std::uint32_t index);

/// Stated value of a constant between the ends of its range.
struct NumberRange {
    double low = 0;
    double stated = 0;
    double high = 0;
};
/// Returns the number at a place of 0 to 1. The stated value is the median, at 0.5; between it and
/// either end numbers are equally probable.
[[nodiscard]] double drawn_number(const NumberRange& range, double place);

/// Returns `count` sets of constants by Latin hypercube. Each constant has one value in each of
/// `count` equally probable parts of its range, independent of other constants. The stated value is
/// the median of a constant's draws. Constants without a range have their stated value in all sets.
///
/// A constant's draws depend only on its key and on `count`. So two runs with equal `count` have
/// the same constants in each set, on any host.
[[nodiscard]] std::vector<TimingSpec> draw_timing(const TimingBounds& bounds, std::uint32_t count);

}  // namespace tessera::config
