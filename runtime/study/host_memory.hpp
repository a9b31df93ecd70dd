// SPDX-License-Identifier: Apache-2.0
// Memory of the host and of this process.
#pragma once

#include <cstdint>

namespace tessera::sweep {

/// The most that this process has held so far, in bytes.
[[nodiscard]] std::uint64_t peak_memory();
/// What the host can still give, in bytes; 0 if it does not say.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace tessera::sweep
