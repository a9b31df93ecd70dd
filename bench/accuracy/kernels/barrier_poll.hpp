// SPDX-License-Identifier: Apache-2.0
// The end of a barrier of many cores: each polls one word of one core's L1, and goes on when it has
// read that all are there. The reads queue at that core, so the cores go on one after the other.
#pragma once

#include <cstdint>

/// Polls once, of `coordinator`, x << 16 | y; 0 is no core, and no barrier.
inline void poll_barrier(uint32_t coordinator, uint32_t scratch) {
    if (coordinator == 0) {
        return;
    }
    noc_async_read(get_noc_addr(coordinator >> 16, coordinator & 0xFFFF, scratch), scratch,
                   sizeof(uint32_t));
    noc_async_read_barrier();
}
