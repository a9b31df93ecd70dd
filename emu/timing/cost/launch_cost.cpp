// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/cost/launch_cost.hpp"

#include <algorithm>

namespace tessera::timing {
namespace {

// A kernel without a call is empty or a few instructions of a test: there is nothing to copy.
bool has_kernel_to_copy(const CoreTrace& core) noexcept {
    return std::ranges::any_of(core.threads, [](const ThreadTrace& thread) {
        return thread.processor == Processor::Riscv1 && !thread.events.empty();
    });
}

}  // namespace

Millicycles LaunchCost::of_start(const CoreTrace& core, TimelineThread thread) const noexcept {
    // Firmware copies a CB's configuration for each that is in use: 595 cycles for 32
    // (tt-metal, circular_buffer_init.h).
    const Millicycles start =
        times_.kernel_start + times_.cb_setup * static_cast<Millicycles>(core.cbs.size());
    // RISC 0 starts the three compute RISCs, waits for the copy of RISC 1's kernel and then runs
    // its own (tt-metal, brisc.cc). Both data-movement kernels therefore start later than compute.
    const bool waits = thread <= TimelineThread::Writer && has_kernel_to_copy(core);
    return start + (waits ? times_.kernel_copy : 0);
}

}  // namespace tessera::timing
