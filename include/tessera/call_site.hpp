// SPDX-License-Identifier: Apache-2.0
// Where in a kernel's source an API function was called.
#pragma once

#include <cstdint>

namespace tessera {

/// Source position of a kernel API call. Every API function takes one as its last, defaulted
/// parameter, so that stalls, errors and deadlock reports can name the kernel's own line.
struct CallSite {
    const char* file = "";
    std::uint32_t line = 0;

    /// Names the position of the call in whose default argument it stands.
    static constexpr CallSite here(const char* file = __builtin_FILE(),
                                   std::uint32_t line = __builtin_LINE()) {
        return {file, line};
    }
};

}  // namespace tessera
