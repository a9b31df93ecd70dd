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

}  // namespace tessera

thread_local tessera::InstructionCounters* tessera_instruction_counters = nullptr;
thread_local tessera::kernel::VectorIssue* tessera_vector_issue = nullptr;
