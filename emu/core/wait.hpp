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

/// Where it waits is the thread's last call.
struct WaitRecord {
    WaitKind kind = WaitKind::None;
    std::uint32_t object = 0;
    std::uint32_t need = 0;
};

}  // namespace tessera
