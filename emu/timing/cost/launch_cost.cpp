// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/launch_cost.hpp"

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

LaunchCost::LaunchCost(const TimingSpec& timing)
    : timing_(timing.dispatch),
      clock_(timing.clock),
      latency_(to_millicycles(timing.dispatch.launch_latency)),
      start_(to_millicycles(timing.dispatch.kernel_start)),
      cb_(to_millicycles(timing.dispatch.cb_setup)),
      end_(to_millicycles(timing.dispatch.kernel_end)),
      gap_(to_millicycles(timing.dispatch.program_gap, timing.clock)) {
}

Millicycles LaunchCost::of_start(const CoreTrace& core) const noexcept {
    return start_ + cb_ * static_cast<Millicycles>(core.cbs.size());
}

Millicycles LaunchCost::of_dispatch(const DispatchTrace& program) const {
    const Seconds time = timing_.per_kernel_group * program.kernels +
                         timing_.per_argument_word * (program.unique_args + program.common_args) +
                         timing_.per_binary_byte * program.binary_bytes +
                         timing_.per_cb_core * (double{1} * program.cbs * program.cores);
    return to_millicycles(time, clock_);
}

}  // namespace tessera::timing
