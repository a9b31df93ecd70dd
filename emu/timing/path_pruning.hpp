// SPDX-License-Identifier: Apache-2.0
// Bounds the memory of a replay that keeps its critical path and not its intervals.
//
// A walk back from the launch's end needs the intervals of every thread, 24 bytes each, and the
// cause of every wait, 48: a product over a whole chip has 29 and 17 million of them. Walks from
// different threads soon meet, though, so that of the past only a thin web can still be part of a
// path. From time to time the rest is replaced by one interval a stretch, which no walk may enter.
#pragma once

#include <cstdint>

#include "tessera/timeline.hpp"

namespace tessera::timing {

struct ReplayState;

/// Interval::cause of a stretch of time whose intervals were pruned.
inline constexpr std::uint32_t kPruned = kNoCause - 1;

/// When to prune, and up to when.
struct PruningSchedule {
    std::size_t limit = 0;  ///< number of causes at which to prune next
    Millicycles until = 0;  ///< what ended before has been pruned
};

/// Prunes what ended before the last quarter of the time since the pruning before. A cause to come
/// may be older only if what it sent has travelled for longer: a walk then finds kPruned.
void prune_paths(ReplayState& state);

}  // namespace tessera::timing
