// SPDX-License-Identifier: Apache-2.0
// Fills of L1.
#pragma once

#include "dataflow_api.h"

// Writes `word` to all of a range that is aligned for the NoC, and of a multiple of 4 bytes. The
// core stores the first words only: a store costs it some ten cycles with its loop, where the NoC
// copies 32 bytes in one.
inline void fill_l1(uint32_t l1_addr, uint32_t bytes, uint32_t word) {
    constexpr uint32_t kByCore = 256;
    uint32_t filled = bytes < kByCore ? bytes : kByCore;
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < filled / sizeof(uint32_t); ++i) {
        words[i] = word;
    }
    while (filled < bytes) {
        const uint32_t count = filled < bytes - filled ? filled : bytes - filled;
        noc_async_read(get_noc_addr(l1_addr), l1_addr + filled, count);
        noc_async_read_barrier();
        filled += count;
    }
}
