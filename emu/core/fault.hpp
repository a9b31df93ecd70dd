// SPDX-License-Identifier: Apache-2.0
// Faults of kernels. A KernelFault is thrown at the call that is at fault. The root of the kernel's
// fiber turns it into a KernelError, which adds device, core and kernel.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "tessera/call_site.hpp"
#include "tessera/errors.hpp"

namespace tessera {

/// Violation of the machine's contract by the running kernel.
struct KernelFault {
    FaultCategory category;
    CallSite site;
    std::string detail;
    std::uint64_t code = 0;  ///< address of the kernel's instruction; 0: unknown
};

/// Throws KernelFault.
[[noreturn]] void raise_fault(FaultCategory category, CallSite site, std::string detail);

/// Throws KernelFault with the formatted detail.
template <class... Args>
[[noreturn]] void fault(FaultCategory category, CallSite site, fmt::format_string<Args...> format,
                        Args&&... args) {
    raise_fault(category, site, fmt::format(format, std::forward<Args>(args)...));
}

/// Thrown in a blocked thread when its launch ends because of another thread's error.
struct Cancelled {};

}  // namespace tessera
