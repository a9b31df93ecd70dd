// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/kernel_signal.hpp"

#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_heap.hpp"
#include "emu/core/kernel_thread.hpp"
#include "runtime/scheduler/announced_stack.hpp"
#include "tessera/window_layout.hpp"

// stack_switch.cpp
extern "C" const char tessera_call_on_stack_end[];
extern "C" void tessera_call_on_stack(void (*entry)(), std::byte* top);

namespace tessera {
namespace {

// A kernel that has overflowed its stack leaves no stack for the handler. SIGSTKSZ is not a
// constant in newer C libraries.
constexpr std::size_t kSignalStackSize = 64 * 1024;

constexpr std::array kKernelSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};

/// Words above a kernel's first frame, which an overrun array on the stack changes.
constexpr std::array<std::uint64_t, 8> kCanary{
    0x7E55'E7A0'57AC'C0DE, 0x7E55'E7A1'57AC'C0DE, 0x7E55'E7A2'57AC'C0DE, 0x7E55'E7A3'57AC'C0DE,
    0x7E55'E7A4'57AC'C0DE, 0x7E55'E7A5'57AC'C0DE, 0x7E55'E7A6'57AC'C0DE, 0x7E55'E7A7'57AC'C0DE};

// State on the stack of the emulator's frames; the handler finds it through the running thread.
struct Landing {
    sigjmp_buf environment;
    int signal = 0;
    bool has_address = false;   ///< whether the signal has the touched address
    std::uint64_t address = 0;  ///< the touched address
    bool is_jump = false;       ///< whether the access was an instruction fetch
    std::uint64_t code = 0;     ///< instruction of the kernel; 0: unknown
};

struct Stack {
    std::uint64_t bottom;
    std::uint64_t top;  ///< end of the canary

    [[nodiscard]] bool holds(std::uint64_t address) const {
        return address >= bottom && address < top;
    }
};

Stack stack_of(const KernelThread& thread) {
    const auto top =
        reinterpret_cast<std::uint64_t>(thread.core().window.stack_top(thread.processor()));
    return {top - Window::stack_size(), top};
}

bool has_canary(const KernelThread& thread) {
    const Stack stack = stack_of(thread);
    return std::memcmp(reinterpret_cast<const void*>(stack.top - sizeof kCanary), kCanary.data(),
                       sizeof kCanary) == 0;
}

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
    const Stack stack = stack_of(thread);
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
    landing->has_address = names_data(signal, *info);
    const Registers registers = registers_of(context);
    const FaultSource source = source_of(*thread, signal, registers);
    if (!source.is_kernels &&
        !(landing->has_address && thread->core().window.contains(info->si_addr))) {
        restore_default(signal);
        return;
    }
    landing->signal = signal;
    landing->address = reinterpret_cast<std::uint64_t>(info->si_addr);
    landing->is_jump = landing->address == registers.code;
    landing->code = source.is_kernels ? source.code : 0;
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

KernelFault overrun_array(std::string_view when) {
    return {FaultCategory::OutOfBounds,
            {},
            fmt::format("the kernel overruns an array on its stack{}", when)};
}

KernelFault jump_to_data(std::uint64_t address) {
    return {FaultCategory::OutOfBounds,
            {},
            fmt::format("the kernel jumps to address {:#x}, which holds no code", address)};
}

KernelFault outside_of_core(const Landing& landing) {
    if (!landing.has_address) {
        return {FaultCategory::OutOfBounds,
                {},
                "the kernel touches an address that no host has (it is not canonical), outside of "
                "its core: a pointer that was computed wrongly"};
    }
    if (landing.is_jump) {
        return jump_to_data(landing.address);
    }
    return {FaultCategory::OutOfBounds,
            {},
            fmt::format("the kernel touches address {:#x} of the host, outside of its core: a null "
                        "pointer, or one that was computed wrongly",
                        landing.address)};
}

// An access closer than this above a stack is an array overrun, below it a stack overflow.
constexpr std::uint64_t kNearStack = 64 * 1024;

KernelFault in_window(const KernelThread& thread, const Landing& landing) {
    const std::uint64_t address = landing.address;
    const std::uint64_t offset = address & (kWindowSize - 1);
    if (landing.is_jump) {
        return jump_to_data(offset);
    }
    const Stack stack = stack_of(thread);
    if (address >= stack.top - sizeof kCanary && address < stack.top + kNearStack) {
        return overrun_array("");
    }
    const std::uint64_t slot_end = kernel_stack_top_offset(thread.processor());
    if (offset < slot_end && offset >= slot_end - kProcessorSlotSize) {
        return {FaultCategory::OutOfBounds,
                {},
                fmt::format("the kernel's stack overflows its {} bytes", Window::stack_size())};
    }
    return {FaultCategory::OutOfBounds,
            {},
            fmt::format("the kernel touches address {:#x}, but L1 ends at {:#x}", offset,
                        thread.core().arch().l1.size.value)};
}

std::optional<std::string> missed_heap_block(const KernelThread& thread, const Landing& landing) {
    const bool has_heap = landing.has_address && thread.heap != nullptr;
    return has_heap ? thread.heap->missed_block(landing.address) : std::nullopt;
}

KernelFault describe(const KernelThread& thread, const Landing& landing) {
    switch (landing.signal) {
        case SIGILL:
            return {
                FaultCategory::UndefinedBehavior, {}, "the kernel executes an illegal instruction"};
        case SIGFPE:
            return {
                FaultCategory::UndefinedBehavior, {}, "the kernel causes an arithmetic exception"};
        case SIGABRT:
            return {
                FaultCategory::UndefinedBehavior, {}, "a function that the kernel calls aborts"};
        case SIGTRAP:
            return overrun_array(": found where its function returns");
        default:
            break;
    }
    if (landing.has_address &&
        thread.core().window.contains(reinterpret_cast<const void*>(landing.address))) {
        return in_window(thread, landing);
    }
    if (const auto block = missed_heap_block(thread, landing)) {
        return {FaultCategory::OutOfBounds, {}, "the kernel touches " + *block};
    }
    return has_canary(thread) ? outside_of_core(landing) : overrun_array("");
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

[[noreturn]] void raise_native_fault(const KernelThread& thread, const Landing& landing) {
    KernelFault fault = describe(thread, landing);
    fault.code = landing.code;
    throw fault;  // NOLINT: what it is has been worked out above
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
    std::byte* top = end - sizeof kCanary;
    std::memcpy(top, kCanary.data(), sizeof kCanary);
    Landing landing;
    const StackRange own = announced_stack();
    // Does not save the signal mask, which would cost a system call per kernel; hence SA_NODEFER.
    if (sigsetjmp(landing.environment, 0) != 0) {
        announce_stack(own);
        thread.signal_landing = nullptr;
        raise_native_fault(thread, landing);
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
