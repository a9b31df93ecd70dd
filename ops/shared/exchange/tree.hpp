// SPDX-License-Identifier: Apache-2.0
// Pairs of devices at distance 1, 2, 4, … along the rows of a group, then along one column.
#pragma once

#include <cstdint>

#include "ops/shared/exchange/lanes.hpp"

namespace tessera::ops::exchange {

/// Adds sums on the group's first device, and from there on all.
void reduce_tree(LanePlans& lane, const Slice& slice);
/// Adds steps that copy the output of `root` to all other devices.
void broadcast_tree(LanePlans& lane, std::uint32_t root, const Slice& slice);

}  // namespace tessera::ops::exchange
