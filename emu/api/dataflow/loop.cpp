// SPDX-License-Identifier: Apache-2.0
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/loop_rounds.hpp"

namespace {

using tessera::LoopKind;

std::uint64_t rounds_allowed(const tessera::KernelThread& thread, LoopKind kind) {
    return thread.progress_limit * (kind == LoopKind::CallsApi ? tessera::kApiRoundsPerPoll
                                                               : tessera::kComputedRoundsPerPoll);
}

// A loop of kind PollsL1 ends only if another thread has changed the memory that it reads. A clock
// advances by itself, which is no progress.
void note_end_of_last_poll(tessera::KernelThread& thread) {
    thread.has_polled_with_success |=
        thread.idling == tessera::Idling::Polls && !thread.polls_clock;
}

}  // namespace

void tessera_loop_rounds(std::uint64_t rounds, const char* file, std::uint32_t line,
                         LoopKind kind) {
    tessera::KernelThread& thread = tessera::current_thread();
    if (kind == LoopKind::PollsL1 || kind == LoopKind::PollsOrComputes) {
        // How long it polls depends on the host: the scheduler knows when nothing else can run.
        if (rounds == tessera::kLoopRoundsPerCall) {
            note_end_of_last_poll(thread);
        }
        note_next_poll(thread, {file, line});
        const bool is_poll = kind == LoopKind::PollsL1;
        if (thread.polls_clock) {
            advance_clock(thread);
        }
        thread.yield(is_poll ? tessera::Idling::Polls : tessera::Idling::Computes,
                     tessera::kLoopRoundsPerCall / (is_poll ? 1 : tessera::kComputedRoundsPerPoll));
        return;
    }
    if (kind == LoopKind::Endless) {
        tessera::fault(tessera::FaultCategory::Deadlock, {file, line},
                       "this loop never ends: it has no exit");
    }
    const std::uint64_t allowed = rounds_allowed(thread, kind);
    if (rounds >= allowed) {
        tessera::fault(tessera::FaultCategory::Deadlock, {file, line},
                       "this loop has gone round {} times; allowed: {}, {} times "
                       "machine.progress_limit, which a loop that ends may need raised",
                       rounds, allowed, allowed / thread.progress_limit);
    }
}
