// SPDX-License-Identifier: Apache-2.0
// Calls of the matrix unit, which unpack and math do together through the source registers.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Unpack's part of a run of calls.
Progress fill_source(ReplayState& state, EngineThread& unpack);
/// Math's part.
Progress use_source(ReplayState& state, EngineThread& math);

}  // namespace tessera::timing
