// SPDX-License-Identifier: Apache-2.0
// The beginning of a replay: threads and cores from a trace, each device at its start.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Fills `state` with the threads of its launch, by (device, y, x, thread), and starts them.
/// Errors   UsageError if the launch has a core or device that the machine has not.
void set_up(ReplayState& state);

}  // namespace tessera::timing
