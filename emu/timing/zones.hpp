// SPDX-License-Identifier: Apache-2.0
// Zones that the kernel's author marks.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// ZoneBegin or ZoneEnd. A zone holds its own end's mark, not its beginning's.
/// Errors   UsageError if a zone ends that was not begun last.
Progress do_zone(ReplayState& state, EngineThread& thread);

}  // namespace tessera::timing
