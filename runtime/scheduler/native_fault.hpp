// SPDX-License-Identifier: Apache-2.0
// Words for faults of the host's processor in a kernel: a signal, and what it touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emu/core/fault.hpp"

namespace tessera {

class KernelThread;

/// A signal that a kernel has caused.
struct NativeFault {
    int signal = 0;
    bool has_address = false;   ///< whether the signal has the touched address
    std::uint64_t address = 0;  ///< the touched address
    bool is_jump = false;       ///< whether the access was an instruction fetch
    std::uint64_t code = 0;     ///< instruction of the kernel; 0: unknown
};

/// Addresses of a kernel's stack.
struct KernelStack {
    std::uint64_t bottom;
    std::uint64_t top;  ///< end of the canary

    [[nodiscard]] bool holds(std::uint64_t address) const {
        return address >= bottom && address < top;
    }
};
[[nodiscard]] KernelStack stack_of(const KernelThread& thread);

/// Writes the canary above a kernel's first frame, and returns the top of the stack below it.
std::byte* set_canary(const KernelThread& thread);
[[nodiscard]] bool has_canary(const KernelThread& thread);

/// Returns the error of a kernel that has changed its canary; `when` begins with ": ", or is empty.
[[nodiscard]] KernelFault overrun_array(std::string_view when);
/// Returns the error of a signal, with the kernel's instruction.
[[nodiscard]] KernelFault describe(const KernelThread& thread, const NativeFault& fault);

}  // namespace tessera
