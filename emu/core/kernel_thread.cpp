// SPDX-License-Identifier: Apache-2.0
#include "emu/core/kernel_thread.hpp"

#include "emu/core/compute_state.hpp"
#include "emu/core/core.hpp"
#include "emu/core/kernel_heap.hpp"
#include "emu/core/trace_recorder.hpp"

namespace tessera {
constinit thread_local KernelThread* t_current_thread = nullptr;

KernelThread::KernelThread(Core& core, Processor processor)
    : core_(&core),
      processor_(processor),
      processor_bit_(static_cast<std::uint8_t>(1U << static_cast<unsigned>(processor))) {
    core.window.open_stack(processor);
}

KernelThread::~KernelThread() = default;

void note_next_poll(KernelThread& thread, const CallSite& site) {
    if (thread.rounds_per_poll == 0) {
        const std::uint32_t num_writes = thread.core().semaphore_waiters.num_writes();
        thread.has_polled_with_success |= num_writes != thread.num_writes_seen;
        thread.num_writes_seen = num_writes;
    }
    thread.note_call(site);
}

}  // namespace tessera

thread_local tessera::InstructionCounters* tessera_instruction_counters = nullptr;
thread_local tessera::kernel::VectorIssue* tessera_vector_issue = nullptr;
