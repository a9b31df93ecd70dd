// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/launch_cost.hpp"

#include <algorithm>

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {
namespace {

/// Binaries that the program's first core gets: a compute kernel has three.
std::uint32_t num_binaries(const DispatchTrace& program, const LaunchTrace& launch) {
    constexpr std::uint32_t kOfCompute = 3;
    const auto core = std::ranges::find(launch.cores, program.device, &CoreTrace::device);
    std::uint32_t count = 0;
    if (core != launch.cores.end()) {
        for (const ThreadTrace& thread : core->threads) {
            count += thread.processor == Processor::Compute ? kOfCompute : 1;
        }
    }
    return count;
}

}  // namespace

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

Millicycles LaunchCost::of_dispatch(const DispatchTrace& program, const LaunchTrace& launch) const {
    const double groups = std::max(program.kernels, 1U);
    const double cores = program.cores;
    const bool is_configured =
        program.cbs + program.semaphores + program.unique_args + program.common_args > 0;
    Seconds time = timing_.per_program + timing_.per_kernel_group * (groups - 1) +
                   timing_.per_binary * (groups * num_binaries(program, launch)) +
                   timing_.per_binary_byte * (program.binary_bytes / groups) +
                   timing_.per_core * cores + timing_.per_cb * program.cbs +
                   timing_.per_argument_word * program.unique_args +
                   timing_.per_common_word * program.common_args;
    if (is_configured) {
        time = time + timing_.per_configuration;
    }
    if (program.unique_args > 0) {
        time = time + timing_.per_core_with_arguments * cores;
    }
    return to_millicycles(time, clock_);
}

}  // namespace tessera::timing
