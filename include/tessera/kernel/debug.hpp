// SPDX-License-Identifier: Apache-2.0
// Debugging of kernels: ASSERT, waypoints and the watcher's calls of a debug build. Waypoints,
// pauses and ring buffers do nothing. Macros have the vendor's names.
#pragma once

#include "tessera/kernel/print.hpp"
#include "tessera/kernel/types.hpp"

namespace tessera::kernel {

/// Throws KernelFault{UndefinedBehavior} that names the condition of a kernel's failed ASSERT.
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
