// SPDX-License-Identifier: Apache-2.0
// Timing constants drawn at random within their ranges, all at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/timing_spec.hpp"

namespace tessera::config {

/// `count` sets of constants by Latin hypercube: of each constant one value in each of `count`
/// equally probable parts of its range, constants independent of one another. A stated value is
/// the median of its constant: half of the draws lie on either side of it, even there. Constants
/// without a range are as stated in all.
///
/// A constant's draws depend on its key and on `count` alone: two runs whose sets are as many meet
/// the same constants in each, on any host.
[[nodiscard]] std::vector<TimingSpec> draw_timing(const TimingBounds& bounds, std::uint32_t count);

}  // namespace tessera::config
