// SPDX-License-Identifier: Apache-2.0
// Busy times of a thread by activity: the sum of its events' prices, without a replay. Waits are
// not part of them, so they do not depend on other threads.
#pragma once

#include <array>

#include "emu/timing/part.hpp"
#include "emu/timing/state.hpp"

namespace tessera::timing {

using BusyTimes = std::array<Millicycles, kNumActivities>;

/// Returns the time that a replay under `costs` spends in each busy activity of the thread.
/// NotStarted has the latency of the go signal. Start has half of the largest random delay in place
/// of the core's own one.
[[nodiscard]] BusyTimes busy_times(const Costs& costs, const ArchSpec& arch,
                                   const ThreadSource& thread);

}  // namespace tessera::timing
