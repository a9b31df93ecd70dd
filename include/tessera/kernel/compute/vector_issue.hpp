// SPDX-License-Identifier: Apache-2.0
// Count of issue slots of the vector unit, shared by the machine and by sfpi code of kernels.
#pragma once

#include <cstdint>

namespace tessera::kernel {

/// Issue slots of the vector unit that sfpi code of a kernel thread has taken.
struct VectorIssue {
    std::uint32_t slots = 0;         ///< readers take differences
    std::uint32_t open_product = 0;  ///< slots behind the last product, until it is read
    std::uint32_t recorded = 0;      ///< slots that events hold
};

}  // namespace tessera::kernel

extern "C" {
/// Count of the kernel thread that this host thread runs; null outside of kernels.
[[gnu::tls_model(
    "initial-exec")]] extern thread_local tessera::kernel::VectorIssue* tessera_vector_issue;
}

namespace tessera::kernel {

/// Returns the slots that the running kernel thread has taken.
inline std::uint32_t issued_slots() {
    return tessera_vector_issue->slots;
}

}  // namespace tessera::kernel
