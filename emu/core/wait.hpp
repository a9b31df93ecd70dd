// SPDX-License-Identifier: Apache-2.0
// Condition that a blocked kernel thread waits for. The deadlock census reads it.
#pragma once

#include <cstdint>

namespace tessera {

/// Kind of a wait, and the meaning of a WaitRecord's other members.
enum class WaitKind : std::uint8_t {
    None,
    CbData,            ///< cb_wait_front: object = CB index, need = pages
    CbSpace,           ///< cb_reserve_back: object = CB index, need = pages
    SemaphoreEquals,   ///< noc_semaphore_wait: object = L1 address, need = value
    SemaphoreAtLeast,  ///< noc_semaphore_wait_min: object = L1 address, need = value
};

/// Activity of a thread that yields to others and is not blocked.
enum class Idling : std::uint8_t {
    Asks,      ///< makes calls that query a CB or invalidate the cache of L1
    Polls,     ///< loops until a value in L1 changes
    Computes,  ///< loops until a value in memory, or one that it computes, ends the loop
};

/// Wait of a blocked thread. KernelThread::last_call has its source position.
struct WaitRecord {
    WaitKind kind = WaitKind::None;
    std::uint32_t object = 0;
    std::uint32_t need = 0;
};

}  // namespace tessera
