// SPDX-License-Identifier: Apache-2.0
// Source position of a kernel's API call.
#pragma once

#include <cstdint>

namespace tessera {

/// Source position of a kernel API call. Every API function takes one as its last, defaulted
/// parameter, so that stalls, errors and deadlock reports can name the kernel's own line.
struct CallSite {
    const char* file = "";
    std::uint32_t line = 0;

    /// Returns the position of the call that evaluates it as a default argument.
    static constexpr CallSite here(const char* file = __builtin_FILE(),
                                   std::uint32_t line = __builtin_LINE()) {
        return {file, line};
    }
};

}  // namespace tessera
