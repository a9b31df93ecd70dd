// SPDX-License-Identifier: Apache-2.0
// Memory bound of a replay that keeps its critical path and not its intervals.
//
// A walk back from the launch's end needs the intervals of every thread (24 bytes each) and the
// cause of every wait (48 bytes). A product over a whole chip has 29 and 17 million of them. Walks
// from different threads soon meet, so few of the older intervals can still be part of a path. From
// time to time the replay replaces each stretch of other intervals by one, which no walk may enter.
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
    Millicycles until = 0;  ///< intervals that ended before have been pruned
};

/// Prunes intervals that ended before the last quarter of the time since the previous pruning. A
/// later cause may point before that time only if its transfer has been under way for longer; a
/// walk then finds kPruned.
void prune_paths(ReplayState& state);

}  // namespace tessera::timing
