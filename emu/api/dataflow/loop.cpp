// SPDX-License-Identifier: Apache-2.0
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/loop_rounds.hpp"

void tessera_loop_rounds(std::uint64_t rounds, const char* file, std::uint32_t line,
                         tessera::LoopKind kind) {
    tessera::KernelThread& thread = tessera::current_thread();
    if (kind == tessera::LoopKind::PollsL1) {
        // How long it polls depends on the host: the scheduler knows when nothing else can run.
        thread.note_call({file, line});
        thread.yield(tessera::kLoopRoundsPerCall);
        return;
    }
    if (rounds >= thread.progress_limit) {
        tessera::fault(tessera::FaultCategory::Deadlock, {file, line},
                       "this loop has gone round {} times and does not end; allowed: "
                       "machine.progress_limit, {}",
                       rounds, thread.progress_limit);
    }
}
