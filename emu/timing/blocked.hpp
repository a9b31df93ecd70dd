// SPDX-License-Identifier: Apache-2.0
// What to say of a trace that cannot be replayed to its end.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Errors   InternalError naming each thread that has not finished: device, core, thread, kernel,
///          line, and what it waits for; the first eight of them.
void require_all_finished(const ReplayState& state);

}  // namespace tessera::timing
