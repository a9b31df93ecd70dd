// SPDX-License-Identifier: Apache-2.0
// The three steps of a part's replay: set up, run, make the timeline.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Fills `state` with the threads of its launch, by (device, y, x, thread), and makes them runnable
/// (setup.cpp).
/// Errors   UsageError if the launch has a core or device that the machine does not have.
void set_up(ReplayState& state);

/// Replays the events of all threads and the stages of all transfers (engine.cpp).
/// Errors   UsageError if the trace does not fit the machine, or a zone ends that was not begun
///          last; InternalError if threads never end, naming the first eight of them with
///          device, core, thread, kernel, line and what they wait for.
void run(ReplayState& state);

/// Ends every thread at the makespan and collects the data that the replay kept (outcome.cpp).
/// Errors   InternalError if a thread's intervals do not add up to the makespan.
[[nodiscard]] LaunchTimeline to_timeline(ReplayState& state);

}  // namespace tessera::timing
