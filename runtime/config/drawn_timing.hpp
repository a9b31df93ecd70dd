// SPDX-License-Identifier: Apache-2.0
// Draws all timing constants at random within their ranges.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// Returns `count` sets of constants by Latin hypercube: each constant has one value in each of
/// `count` equally probable parts of its range, independent of other constants. The stated value is
/// the median of a constant's draws. Constants without a range have their stated value in all sets.
///
/// A constant's draws depend only on its key and on `count`, so that two runs with equal `count`
/// have the same constants in each set, on any host.
[[nodiscard]] std::vector<TimingSpec> draw_timing(const TimingBounds& bounds, std::uint32_t count);

}  // namespace tessera::config
