// SPDX-License-Identifier: Apache-2.0
// Entries of a tensor of 32-bit words, read one after the other.
#pragma once

#include "dataflow_api.h"

// Keeps the 16 entries around the last requested one: the entries of a read that is aligned on
// every device.
template <class Accessor>
struct WordList {
    const Accessor& tensor;
    uint32_t width;  // entries of a page
    uint32_t l1_addr;
    uint32_t held_page = 0xFFFFFFFF;
    uint32_t held_first = 0;

    uint32_t at(uint32_t index) {
        constexpr uint32_t kHeld = 16;
        const uint32_t page = index / width;
        const uint32_t first = index % width / kHeld * kHeld;
        if (page != held_page || first != held_first) {
            held_page = page;
            held_first = first;
            const uint32_t left = width - first;
            noc_async_read(tensor.get_noc_addr(page, first * sizeof(uint32_t)), l1_addr,
                           (left < kHeld ? left : kHeld) * sizeof(uint32_t));
            noc_async_read_barrier();
        }
        return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr)[index % width - first];
    }
};
