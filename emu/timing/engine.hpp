// SPDX-License-Identifier: Apache-2.0
// Replays one part of a launch from its first event to its timeline, in three steps.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Fills `state` with the threads of its launch, by (device, y, x, thread), and makes them runnable
/// (setup.cpp).
/// Errors   UsageError if the launch has a core or device that the machine has not.
void set_up(ReplayState& state);

/// Replays the events of all threads and the stages of all transfers (engine.cpp).
/// Errors   UsageError if the trace does not fit the machine, or a zone ends that was not begun
///          last; InternalError if threads wait for ever, naming the first eight of them with
///          device, core, thread, kernel, line and what they wait for.
void run(ReplayState& state);

/// Closes every thread at the makespan and collects what the replay kept (outcome.cpp).
/// Errors   InternalError if a thread's intervals do not add up to the makespan.
[[nodiscard]] LaunchTimeline to_timeline(ReplayState& state);

}  // namespace tessera::timing
