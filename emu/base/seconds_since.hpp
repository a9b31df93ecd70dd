// SPDX-License-Identifier: Apache-2.0
// Host time for logs, progress lines and the host's profile. Predicted times never use it.
#pragma once

#include <chrono>

namespace tessera {

/// Returns the seconds of host time that have passed since `start`.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tessera
