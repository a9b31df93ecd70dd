// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/native_fault.hpp"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstring>
#include <optional>

#include "emu/core/core.hpp"
#include "emu/core/kernel_heap.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/window_layout.hpp"

namespace tessera {
namespace {

/// Words above a kernel's first frame, which an overrun array on the stack changes.
constexpr std::array<std::uint64_t, 8> kCanary{
    0x7E55'E7A0'57AC'C0DE, 0x7E55'E7A1'57AC'C0DE, 0x7E55'E7A2'57AC'C0DE, 0x7E55'E7A3'57AC'C0DE,
    0x7E55'E7A4'57AC'C0DE, 0x7E55'E7A5'57AC'C0DE, 0x7E55'E7A6'57AC'C0DE, 0x7E55'E7A7'57AC'C0DE};

KernelFault jump_to_data(std::uint64_t address) {
    return {FaultCategory::OutOfBounds,
            {},
            fmt::format("the kernel jumps to address {:#x}, which holds no code", address)};
}

KernelFault outside_of_core(const NativeFault& fault) {
    if (!fault.has_address) {
        return {FaultCategory::OutOfBounds,
                {},
                "the kernel touches an address that no host has (it is not canonical), outside of "
                "its core: a pointer that was computed wrongly"};
    }
    if (fault.is_jump) {
        return jump_to_data(fault.address);
    }
    return {FaultCategory::OutOfBounds,
            {},
            fmt::format("the kernel touches address {:#x} of the host, outside of its core: a null "
                        "pointer, or one that was computed wrongly",
                        fault.address)};
}

// An access closer than this above a stack is an array overrun, below it a stack overflow.
constexpr std::uint64_t kNearStack = 64 * 1024;

KernelFault in_window(const KernelThread& thread, const NativeFault& fault) {
    const std::uint64_t address = fault.address;
    const std::uint64_t offset = address & (kWindowSize - 1);
    if (fault.is_jump) {
        return jump_to_data(offset);
    }
    const KernelStack stack = stack_of(thread);
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

std::optional<std::string> missed_heap_block(const KernelThread& thread, const NativeFault& fault) {
    const bool has_heap = fault.has_address && thread.heap != nullptr;
    return has_heap ? thread.heap->missed_block(fault.address) : std::nullopt;
}

KernelFault words_of(const KernelThread& thread, const NativeFault& fault) {
    switch (fault.signal) {
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
    if (fault.has_address &&
        thread.core().window.contains(reinterpret_cast<const void*>(fault.address))) {
        return in_window(thread, fault);
    }
    if (const auto block = missed_heap_block(thread, fault)) {
        return {FaultCategory::OutOfBounds, {}, "the kernel touches " + *block};
    }
    return has_canary(thread) ? outside_of_core(fault) : overrun_array("");
}

}  // namespace

KernelStack stack_of(const KernelThread& thread) {
    const auto top =
        reinterpret_cast<std::uint64_t>(thread.core().window.stack_top(thread.processor()));
    return {top - Window::stack_size(), top};
}

std::byte* set_canary(const KernelThread& thread) {
    std::byte* top = thread.core().window.stack_top(thread.processor()) - sizeof kCanary;
    std::memcpy(top, kCanary.data(), sizeof kCanary);
    return top;
}

bool has_canary(const KernelThread& thread) {
    return std::memcmp(reinterpret_cast<const void*>(stack_of(thread).top - sizeof kCanary),
                       kCanary.data(), sizeof kCanary) == 0;
}

KernelFault overrun_array(std::string_view when) {
    return {FaultCategory::OutOfBounds,
            {},
            fmt::format("the kernel overruns an array on its stack{}", when)};
}

KernelFault describe(const KernelThread& thread, const NativeFault& fault) {
    KernelFault words = words_of(thread, fault);
    words.code = fault.code;
    return words;
}

}  // namespace tessera
