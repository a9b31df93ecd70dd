// SPDX-License-Identifier: Apache-2.0
// Events of the two data-movement RISCs.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// One event of a data-movement thread, CB calls and zones excepted.
/// Errors   UsageError if the event is one of compute kernels.
Progress do_data_movement(ReplayState& state, EngineThread& thread);

}  // namespace tessera::timing
