// SPDX-License-Identifier: Apache-2.0
// What becomes true when a transfer comes along: words change, barriers end, slots are free again.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// Runs the stage of a transfer that is due and wakes those who waited for it.
void advance_transfer(ReplayState& state, std::uint32_t number);

}  // namespace tessera::timing
