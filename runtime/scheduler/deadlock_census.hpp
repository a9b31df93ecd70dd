// SPDX-License-Identifier: Apache-2.0
// Describes a launch in which nothing can run any more.
#pragma once

#include <span>

#include "tessera/errors.hpp"

namespace tessera {

class Core;

/// Returns an error whose position is that of the cause's thread (deadlock_cause.hpp). The message
/// begins with the cause and then lists every blocked thread. Threads that wait at the same line
/// for the same object share a row: devices and cores, role, source line, the object, what the
/// threads need and what is available.
[[nodiscard]] KernelError describe_deadlock(std::span<Core* const> cores);

}  // namespace tessera
