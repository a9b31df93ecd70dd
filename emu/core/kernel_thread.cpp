// SPDX-License-Identifier: Apache-2.0
#include "emu/core/kernel_thread.hpp"

#include "emu/core/compute_state.hpp"
#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/trace_recorder.hpp"

namespace tessera {
namespace {

thread_local KernelThread* t_current = nullptr;

}  // namespace

KernelThread::KernelThread(Core& core, Processor processor) : core_(&core), processor_(processor) {
}

KernelThread::~KernelThread() = default;

void KernelThread::block(const WaitRecord& record) {
    wait = record;
    thread_switch.park(*this);
    wait = {};
    if (is_cancelled) {
        throw Cancelled{};
    }
}

// Never inlined: a fiber may resume after its host thread ran others, and compilers keep the
// address of a thread-local across calls they can see through.
[[gnu::noinline]] KernelThread& current_thread() noexcept {
    return *t_current;
}

[[gnu::noinline]] KernelThread* current_thread_or_null() noexcept {
    return t_current;
}

[[gnu::noinline]] void set_current_thread(KernelThread* thread) noexcept {
    t_current = thread;
}

}  // namespace tessera
