// SPDX-License-Identifier: Apache-2.0
// Debugging of kernels: ASSERT, waypoints and what the watcher of a debug build offers. Waypoints,
// pauses and ring buffers do nothing. Macros here are the vendor's.
#pragma once

#include "tessera/kernel/print.hpp"
#include "tessera/kernel/types.hpp"

namespace tessera::kernel {

/// Raises the fault of a kernel's own failed ASSERT.
/// Errors   UndefinedBehavior naming the condition.
[[noreturn]] void assertion_failed(const char* condition, CallSite site);

}  // namespace tessera::kernel

#define ASSERT(condition, ...)          \
    ((condition) ? static_cast<void>(0) \
                 : ::tessera::kernel::assertion_failed(#condition, ::tessera::CallSite::here()))
#define LLK_ASSERT(condition, ...) ASSERT(condition)
#define WAYPOINT(name) static_cast<void>(0)
#define DEBUG_STATUS(...) static_cast<void>(0)
#define PAUSE() static_cast<void>(0)
#define DEBUG_CHECKPOINT(...) static_cast<void>(0)
#define WATCHER_RING_BUFFER_PUSH(value) static_cast<void>(value)
