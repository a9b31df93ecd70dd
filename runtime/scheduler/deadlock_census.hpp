// SPDX-License-Identifier: Apache-2.0
// Describes a launch in which nothing can run any more.
#pragma once

#include <span>

#include "tessera/errors.hpp"

namespace tessera {

class Core;

/// Names every blocked thread (device, core, role, kernel, source line), the object it waits for,
/// what it needs and what is there; then the cause that says most of those that their waits lead
/// to: a value passed, a partner that has finished, a cycle of waiters. Positions the error at the
/// first blocked thread.
[[nodiscard]] KernelError describe_deadlock(std::span<Core* const> cores);

}  // namespace tessera
