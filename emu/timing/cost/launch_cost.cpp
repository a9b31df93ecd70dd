// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/launch_cost.hpp"

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

LaunchCost::LaunchCost(const TimingSpec& timing)
    : latency_(to_millicycles(timing.dispatch.launch_latency)),
      start_spread_(to_millicycles(timing.dispatch.start_spread)),
      start_(to_millicycles(timing.dispatch.kernel_start)),
      cb_(to_millicycles(timing.dispatch.cb_setup)),
      end_(to_millicycles(timing.dispatch.kernel_end)) {
}

Millicycles LaunchCost::of_start(const CoreTrace& core) const noexcept {
    // Firmware copies a CB's configuration for each that is in use: 595 cycles for 32
    // (tt-metal, circular_buffer_init.h).
    return start_ + cb_ * static_cast<Millicycles>(core.cbs.size());
}

}  // namespace tessera::timing
