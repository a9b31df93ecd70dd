// SPDX-License-Identifier: Apache-2.0
// Describes a launch in which nothing can run any more.
#pragma once

#include <span>

#include "tessera/errors.hpp"

namespace tessera {

class Core;

/// Returns an error that is positioned at the thread of the cause (deadlock_cause.hpp) and begins
/// with it. Then names every blocked thread, threads that wait at the same line for the same object
/// in one row: devices and cores, role, source line, the object, what it needs and what is there.
[[nodiscard]] KernelError describe_deadlock(std::span<Core* const> cores);

}  // namespace tessera
