// SPDX-License-Identifier: Apache-2.0
// The end of a barrier of many cores. Each core polls one word in one core's L1 until the word says
// that all cores have arrived. The reads queue at that core, so the cores continue one by one.
#pragma once

#include <cstdint>

/// Polls the word of `coordinator` once (x << 16 | y). Does nothing if it is 0: no barrier.
inline void poll_barrier(uint32_t coordinator, uint32_t scratch) {
    if (coordinator == 0) {
        return;
    }
    noc_async_read(get_noc_addr(coordinator >> 16, coordinator & 0xFFFF, scratch), scratch,
                   sizeof(uint32_t));
    noc_async_read_barrier();
}
