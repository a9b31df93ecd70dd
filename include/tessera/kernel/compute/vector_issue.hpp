// SPDX-License-Identifier: Apache-2.0
// Count of issue slots of the vector unit. The machine reads it; sfpi code of kernels increments
// it.
#pragma once

#include <cstdint>

namespace tessera::kernel {

/// Issue slots of the vector unit that sfpi code of a kernel thread has taken.
struct VectorIssue {
    std::uint32_t slots = 0;         ///< slots since the kernel began
    std::uint32_t open_product = 0;  ///< slots after the last product, until it is read
    std::uint32_t recorded = 0;      ///< slots that trace events include
};

}  // namespace tessera::kernel

extern "C" {
/// Counter of the kernel thread that runs on this host thread; null outside of kernels.
[[gnu::tls_model(
    "initial-exec")]] extern thread_local tessera::kernel::VectorIssue* tessera_vector_issue;
}

namespace tessera::kernel {

/// Returns the slots that the running kernel thread has taken.
inline std::uint32_t issued_slots() {
    return tessera_vector_issue->slots;
}

}  // namespace tessera::kernel
