// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/kernel_signal.hpp"

#include <dlfcn.h>
#include <ucontext.h>

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <mutex>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/window_layout.hpp"

namespace tessera {
namespace {

// A kernel that has overflowed its stack has none left for the handler; SIGSTKSZ is no constant in
// newer C libraries.
constexpr std::size_t kSignalStackSize = 64 * 1024;

// On the fiber's stack, found again from the handler through the running thread.
struct Landing {
    sigjmp_buf environment;
    std::uint64_t address = 0;
};

void restore_default(int signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
}

void* instruction_of(const void* context) {
    const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return reinterpret_cast<void*>(machine.gregs[REG_RIP]);
#else
    return reinterpret_cast<void*>(machine.pc);
#endif
}

// Whether the kernel's own code has faulted. Its shared object tells, where it has one: a fault in
// the emulator or in a library is a bug of ours and ends the process. dladdr takes the loader's
// lock, which no kernel holds.
bool is_in_kernel(const KernelThread& thread, const void* context) {
    Dl_info faulted{};
    Dl_info kernel{};
    Dl_info own{};
    return dladdr(instruction_of(context), &faulted) != 0 &&
           dladdr(reinterpret_cast<const void*>(thread.entry), &kernel) != 0 &&
           dladdr(reinterpret_cast<const void*>(&is_in_kernel), &own) != 0 &&
           faulted.dli_fbase == kernel.dli_fbase && kernel.dli_fbase != own.dli_fbase;
}

// Returning from the handler with the default action restored repeats the fault and ends the
// process, which is right for a fault that is not a kernel's.
void on_fault(int signal, siginfo_t* info, void* context) {
    KernelThread* thread = current_thread_or_null();
    if (thread == nullptr || thread->signal_landing == nullptr ||
        (!thread->core().window.contains(info->si_addr) && !is_in_kernel(*thread, context))) {
        restore_default(signal);
        return;
    }
    auto* landing = static_cast<Landing*>(thread->signal_landing);
    landing->address = reinterpret_cast<std::uint64_t>(info->si_addr);
    siglongjmp(landing->environment, 1);
}

void install_handler() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        // NODEFER: the handler leaves by a jump, which does not restore the signal mask.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigaction(SIGSEGV, &action, nullptr);
        sigaction(SIGBUS, &action, nullptr);
    });
}

[[noreturn]] void raise_memory_fault(const KernelThread& thread, std::uint64_t address) {
    if (!thread.core().window.contains(reinterpret_cast<const void*>(address))) {
        fault(
            FaultCategory::OutOfBounds, {},
            "the kernel touches address {:#x} of the host, outside of its core: a null pointer, or "
            "one that was computed wrongly (the line is that of its last API call)",
            address);
    }
    const std::uint64_t offset = address & (kWindowSize - 1);
    const std::uint64_t stack_end = kernel_stack_top_offset(thread.processor());
    if (offset < stack_end && offset >= stack_end - kProcessorSlotSize) {
        fault(FaultCategory::OutOfBounds, {}, "the kernel's stack overflows its {} bytes",
              Window::stack_size());
    }
    fault(FaultCategory::OutOfBounds, {},
          "the kernel touches address {:#x}, but L1 ends at {:#x} (the line is that of its last "
          "API call)",
          offset, thread.core().arch().l1.size.value);
}

}  // namespace

SignalStack::SignalStack() : memory_(std::make_unique<std::byte[]>(kSignalStackSize)) {
    install_handler();
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = kSignalStackSize;
    sigaltstack(&stack, nullptr);
}

SignalStack::~SignalStack() {
    stack_t stack{};
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, nullptr);
}

void run_catching_signals(KernelThread& thread, void (*run)(KernelThread&)) {
    Landing landing;
    // Without the signal mask, which would be a system call for every kernel; hence SA_NODEFER.
    if (sigsetjmp(landing.environment, 0) == 0) {
        thread.signal_landing = &landing;
        run(thread);
        thread.signal_landing = nullptr;
        return;
    }
    thread.signal_landing = nullptr;
    raise_memory_fault(thread, landing.address);
}

}  // namespace tessera
