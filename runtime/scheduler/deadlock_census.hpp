// SPDX-License-Identifier: Apache-2.0
// Describes a launch in which nothing can run any more.
#pragma once

#include <span>

#include "tessera/errors.hpp"

namespace tessera {

class Core;

/// Names every blocked thread (device, core, role, kernel, source line), the object it waits for,
/// what it needs and what is there; then the cycle of waiters, or the thread that should have come,
/// as the cause. Positions the error at the first blocked thread.
[[nodiscard]] KernelError describe_deadlock(std::span<Core* const> cores);

}  // namespace tessera
