// SPDX-License-Identifier: Apache-2.0
// Refuses what a kernel does: a fault is thrown where it happens and turned into a KernelError with
// its full position at the root of the kernel's fiber.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "tessera/call_site.hpp"
#include "tessera/errors.hpp"

namespace tessera {

struct KernelFault {
    FaultCategory category;
    CallSite site;
    std::string detail;
    std::uint64_t code = 0;  ///< kernel's instruction, which has the line if `site` has none; or 0
};

[[noreturn]] void raise_fault(FaultCategory category, CallSite site, std::string detail);

/// Throws KernelFault with the formatted detail.
template <class... Args>
[[noreturn]] void fault(FaultCategory category, CallSite site, fmt::format_string<Args...> format,
                        Args&&... args) {
    raise_fault(category, site, fmt::format(format, std::forward<Args>(args)...));
}

/// Thrown into a blocked thread whose launch ends because of another thread's error.
struct Cancelled {};

}  // namespace tessera
