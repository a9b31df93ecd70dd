// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/kernel_signal.hpp"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_heap.hpp"
#include "emu/core/kernel_thread.hpp"
#include "runtime/scheduler/announced_stack.hpp"
#include "runtime/scheduler/native_fault.hpp"

// stack_switch.cpp
extern "C" const char tessera_call_on_stack_end[];
extern "C" void tessera_call_on_stack(void (*entry)(), std::byte* top);

namespace tessera {
namespace {

// A kernel that has overflowed its stack leaves no stack for the handler. SIGSTKSZ is not a
// constant in newer C libraries.
constexpr std::size_t kSignalStackSize = 64 * 1024;

constexpr std::array kKernelSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};

// State on the stack of the emulator's frames; the handler finds it through the running thread.
struct Landing {
    sigjmp_buf environment;
    NativeFault fault;
};

void restore_default(int signal) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, nullptr);
}

struct Registers {
    std::uint64_t code;
    std::uint64_t stack;
};

Registers registers_of(const void* context) {
    const mcontext_t& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return {static_cast<std::uint64_t>(machine.gregs[REG_RIP]),
            static_cast<std::uint64_t>(machine.gregs[REG_RSP])};
#else
    return {machine.pc, machine.sp};
#endif
}

/// Returns the shared object that contains the code at an address; 0 if none does.
std::uint64_t object_of_code(std::uint64_t address) {
    struct Search {
        std::uint64_t address;
        std::uint64_t object = 0;
    } search{address};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& wanted = *static_cast<Search*>(data);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const ElfW(Phdr)& segment = info->dlpi_phdr[i];
                const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
                if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
                    wanted.address >= begin && wanted.address < begin + segment.p_memsz) {
                    wanted.object = begin;
                    return 1;
                }
            }
            return 0;
        },
        &search);
    return search.object;
}

struct FaultSource {
    bool is_kernels = false;
    std::uint64_t code = 0;  ///< the kernel's instruction, or the call that it has made; 0: unknown
};

/// Returns whether an instruction belongs to the switch of stacks. It faults if a kernel has
/// overrun the registers that its entry saved, and it is the caller of a function that the kernel
/// tail-calls.
bool is_stack_switch(std::uint64_t code) {
    return code >= reinterpret_cast<std::uint64_t>(&tessera_call_on_stack) &&
           code < reinterpret_cast<std::uint64_t>(tessera_call_on_stack_end);
}

/// `code` is a return address in `object`.
FaultSource source_of_caller(std::uint64_t code, std::uint64_t object, std::uint64_t kernel) {
    if (is_stack_switch(code)) {
        return {true, 0};
    }
    return {object == kernel, object == kernel ? code - 1 : 0};
}

/// A fault in a library function (`printf` of a bad pointer) is attributed to its caller. Frame
/// information finds the caller; words on the stack may be remains of earlier calls.
std::optional<FaultSource> source_by_frames(const Registers& at, std::uint64_t kernel,
                                            std::uint64_t own) {
    struct Walk {
        std::uint64_t fault, kernel, own;
        bool is_past_handler = false;
        std::optional<FaultSource> found;
    } walk{at.code, kernel, own};
    _Unwind_Backtrace(
        [](_Unwind_Context* frame, void* data) {
            auto& at_frame = *static_cast<Walk*>(data);
            const std::uint64_t code = _Unwind_GetIP(frame);
            at_frame.is_past_handler = at_frame.is_past_handler || code == at_frame.fault;
            const std::uint64_t object = at_frame.is_past_handler ? object_of_code(code) : 0;
            if (object == 0 || (object != at_frame.kernel && object != at_frame.own)) {
                return _URC_NO_REASON;
            }
            at_frame.found = source_of_caller(code, object, at_frame.kernel);
            return _URC_NORMAL_STOP;
        },
        &walk);
    return walk.found;
}

// Finds the caller of code outside of kernel and emulator without frame information: the first
// return address on the stack. A wild register or an overrun return address is the kernel's fault,
// because the kernel cannot reach the emulator's frames.
[[gnu::no_sanitize("address")]] FaultSource source_by_stack(const KernelThread& thread,
                                                            const Registers& at,
                                                            std::uint64_t kernel,
                                                            std::uint64_t own) {
    const bool is_code = object_of_code(at.code) != 0;
    const KernelStack stack = stack_of(thread);
    if (!stack.holds(at.stack)) {
        return {!is_code, 0};
    }
    for (std::uint64_t word = at.stack & ~std::uint64_t{7}; word < stack.top; word += 8) {
        const std::uint64_t value = *reinterpret_cast<const std::uint64_t*>(word);
        const std::uint64_t object = object_of_code(value);
        if (object != 0 && (object == kernel || object == own)) {
            const FaultSource source = source_of_caller(value, object, kernel);
            return {source.is_kernels || !is_code, source.code};
        }
    }
    return {!is_code, 0};
}

// A built-in kernel has no shared object of its own; its faults are recognised by the address that
// they touch.
FaultSource source_of(const KernelThread& thread, int signal, const Registers& at) {
    const std::uint64_t kernel = object_of_code(reinterpret_cast<std::uint64_t>(thread.entry));
    const std::uint64_t own = object_of_code(reinterpret_cast<std::uint64_t>(&source_by_stack));
    const std::uint64_t object = object_of_code(at.code);
    if (is_stack_switch(at.code)) {
        return {true, 0};
    }
    if (kernel == own || object == own) {
        return {};
    }
    // A trap is a function of its own (emu/kernel_pass): its caller has the line.
    if (object == kernel && signal != SIGTRAP) {
        return {true, at.code};
    }
    // The unwinder reads instructions if it has no frame information, so only addresses in code are
    // safe.
    const bool is_library = object != 0 && object != kernel;
    if (const auto source = is_library ? source_by_frames(at, kernel, own) : std::nullopt) {
        return *source;
    }
    return source_by_stack(thread, at, kernel, own);
}

bool names_data(int signal, const siginfo_t& info) {
    return (signal == SIGSEGV || signal == SIGBUS) && info.si_code > 0 &&
           !(info.si_code == SI_KERNEL && info.si_addr == nullptr);
}

// Returns whether kill() sent the signal, and not abort().
bool is_sent(int signal, const siginfo_t& info) {
    return info.si_code <= 0 && (signal != SIGABRT || info.si_pid != getpid());
}

// Handles a fault. For a fault outside of kernels it restores the default action and returns. The
// fault then repeats and ends the process, as intended.
void on_fault(int signal, siginfo_t* info, void* context) {
    KernelThread* thread = current_thread_or_null();
    if (thread == nullptr || thread->signal_landing == nullptr || is_sent(signal, *info)) {
        restore_default(signal);
        if (is_sent(signal, *info)) {
            raise(signal);
        }
        return;
    }
    auto* landing = static_cast<Landing*>(thread->signal_landing);
    NativeFault& fault = landing->fault;
    fault.has_address = names_data(signal, *info);
    const Registers registers = registers_of(context);
    const FaultSource source = source_of(*thread, signal, registers);
    if (!source.is_kernels &&
        !(fault.has_address && thread->core().window.contains(info->si_addr))) {
        restore_default(signal);
        return;
    }
    fault.signal = signal;
    fault.address = reinterpret_cast<std::uint64_t>(info->si_addr);
    fault.is_jump = fault.address == registers.code;
    fault.code = source.is_kernels ? source.code : 0;
    siglongjmp(landing->environment, 1);
}

void install_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        struct sigaction action {};
        action.sa_sigaction = on_fault;
        // NODEFER: the handler leaves by a jump, which does not restore the signal mask.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        for (const int signal : kKernelSignals) {
            sigaction(signal, &action, nullptr);
        }
    });
}

void check_heap_at_end(const KernelThread& thread) {
    if (const auto damage = thread.heap ? thread.heap->damage() : std::nullopt) {
        throw KernelFault{FaultCategory::OutOfBounds,
                          {},
                          fmt::format("the kernel has written {} (found at its end; the line is "
                                      "that of the allocation)",
                                      damage->what),
                          damage->allocated};
    }
}

}  // namespace

SignalStack::SignalStack() : memory_(std::make_unique<std::byte[]>(kSignalStackSize)) {
    install_handlers();
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

void run_kernel(KernelThread& thread) {
    std::byte* end = thread.core().window.stack_top(thread.processor());
    std::byte* top = set_canary(thread);
    Landing landing;
    const StackRange own = announced_stack();
    // Does not save the signal mask, which would cost a system call per kernel; hence SA_NODEFER.
    if (sigsetjmp(landing.environment, 0) != 0) {
        announce_stack(own);
        thread.signal_landing = nullptr;
        throw describe(thread, landing.fault);  // NOLINT: what it is has been worked out above
    }
    thread.signal_landing = &landing;
    announce_stack({end - Window::stack_size(), Window::stack_size()});
    tessera_call_on_stack(thread.entry, top);
    announce_stack(own);
    thread.signal_landing = nullptr;
    if (!has_canary(thread)) {
        throw overrun_array(": found at its end");
    }
    check_heap_at_end(thread);
}

}  // namespace tessera
