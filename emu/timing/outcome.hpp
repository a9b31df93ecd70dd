// SPDX-License-Identifier: Apache-2.0
// The end of a replay: what was noted on the way, as a timeline.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Closes every thread at the makespan.
/// Errors   InternalError if a thread's stretches do not add up to it.
[[nodiscard]] LaunchTimeline to_timeline(ReplayState& state);

}  // namespace tessera::timing
