// SPDX-License-Identifier: Apache-2.0
// Unpack, math and pack: a compute kernel's events as the chip runs them, on three threads of which
// each skips what does not concern it.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// The part of one event that falls to `thread`, which it concerns; CB calls and zones excepted.
Progress do_compute(ReplayState& state, EngineThread& thread);

}  // namespace tessera::timing
