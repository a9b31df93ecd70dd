// SPDX-License-Identifier: Apache-2.0
// Describes what a blocked kernel thread is waiting for; the deadlock census reads it.
#pragma once

#include <cstdint>

namespace tessera {

enum class WaitKind : std::uint8_t {
    None,
    CbData,            ///< cb_wait_front: object = CB index, need = pages
    CbSpace,           ///< cb_reserve_back: object = CB index, need = pages
    SemaphoreEquals,   ///< noc_semaphore_wait: object = L1 address, need = value
    SemaphoreAtLeast,  ///< noc_semaphore_wait_min: object = L1 address, need = value
};

/// Activity of a thread that yields to others and is not blocked.
enum class Idling : std::uint8_t {
    Asks,      ///< calls what asks for pages of a CB or for a new look at L1
    Polls,     ///< loops until a value in L1 changes
    Computes,  ///< loops until a value in memory changes or its own end the loop
};

/// A blocked thread's wait. Its place in the source is the thread's last call.
struct WaitRecord {
    WaitKind kind = WaitKind::None;
    std::uint32_t object = 0;
    std::uint32_t need = 0;
};

}  // namespace tessera
