// SPDX-License-Identifier: Apache-2.0
// Reads whose source and destination in L1 may differ modulo the alignment of DRAM.
#pragma once

#include "dataflow_api.h"

// Reads a range. If the alignments differ, the range is read to `detour_l1`, and the core moves it.
// The caller ends reads with a barrier in both cases.
template <class Accessor>
void read_range(const Accessor& tensor, uint32_t page, uint32_t offset, uint32_t l1_addr,
                uint32_t bytes, uint32_t alignment, uint32_t detour_l1) {
    if (offset % alignment == l1_addr % alignment) {
        noc_async_read(tensor.get_noc_addr(page, offset), l1_addr, bytes);
        return;
    }
    const uint32_t start = offset / alignment * alignment;
    noc_async_read(tensor.get_noc_addr(page, start), detour_l1, offset - start + bytes);
    noc_async_read_barrier();
    const auto* from = reinterpret_cast<volatile tt_l1_ptr uint8_t*>(detour_l1 + offset - start);
    auto* to = reinterpret_cast<volatile tt_l1_ptr uint8_t*>(l1_addr);
    for (uint32_t i = 0; i < bytes; ++i) {
        to[i] = from[i];
    }
}
