// SPDX-License-Identifier: Apache-2.0
// The loop of a replay.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Goes through the events of all threads and through all transfers.
/// Errors   UsageError if the trace does not fit the machine; InternalError if threads are held up
///          for ever.
void run(ReplayState& state);

}  // namespace tessera::timing
