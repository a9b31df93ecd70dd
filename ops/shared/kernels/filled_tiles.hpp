// SPDX-License-Identifier: Apache-2.0
// Tiles of constants that a data-movement kernel makes once.
#pragma once

#include <cstdint>

#include "dataflow_api.h"

namespace {

// Fills bytes of L1 with a word. The NoC copies what the processor has stored once, so that it does
// not store all of it.
inline void fill_by_noc(uint32_t l1_addr, uint32_t bytes, uint32_t word) {
    constexpr uint32_t kStored = 256;
    auto* words = reinterpret_cast<tt_l1_ptr uint32_t*>(l1_addr);
    for (uint32_t i = 0; i < kStored / 4; ++i) {
        words[i] = word;
    }
    for (uint32_t at = kStored; at < bytes; at += kStored) {
        noc_async_read(get_noc_addr(l1_addr), l1_addr + at, kStored);
    }
    noc_async_read_barrier();
}

// Pushes a bfloat16 tile of ones in columns 0 to 15 and zeros in the others.
inline void push_left_half(uint32_t cb) {
    constexpr uint32_t kTwoOnes = 0x3F803F80;
    constexpr uint32_t kFaceBytes = 512;
    cb_reserve_back(cb, 1);
    for (uint32_t face = 0; face < 4; ++face) {
        fill_by_noc(get_write_ptr(cb) + face * kFaceBytes, kFaceBytes,
                    face % 2 == 0 ? kTwoOnes : 0);
    }
    cb_push_back(cb, 1);
}

}  // namespace
