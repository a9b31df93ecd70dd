// SPDX-License-Identifier: Apache-2.0
// CB calls: pages with the times at which they came and went.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// CbReserve, CbPush, CbWait or CbPop of `thread`, whichever it is.
Progress do_cb_call(ReplayState& state, EngineThread& thread);

}  // namespace tessera::timing
