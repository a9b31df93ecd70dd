// SPDX-License-Identifier: Apache-2.0
// Tables of 32-bit words in L1, and between L1 and the pages of a tensor.
#pragma once

#include "args.hpp"

namespace {

constexpr uint32_t kNobody = 0xFFFFFFFF;

inline tt_l1_ptr uint32_t* words_at(uint32_t l1_addr) {
    return reinterpret_cast<tt_l1_ptr uint32_t*>(l1_addr);
}

inline void fill_words(tt_l1_ptr uint32_t* words, uint32_t count, uint32_t value) {
    for (uint32_t i = 0; i < count; ++i) {
        words[i] = value;
    }
}

// Reads pages [first, first + count), `stride` bytes apart in L1.
template <class Accessor>
void read_pages(const Accessor& tensor, uint32_t first, uint32_t count, uint32_t l1_addr,
                uint32_t stride, uint32_t page_bytes) {
    for (uint32_t page = 0; page < count; ++page) {
        noc_async_read(tensor.get_noc_addr(first + page), l1_addr + page * stride, page_bytes);
    }
    noc_async_read_barrier();
}

template <class Accessor>
void write_pages(const Accessor& tensor, uint32_t first, uint32_t count, uint32_t l1_addr,
                 uint32_t stride, uint32_t page_bytes) {
    for (uint32_t page = 0; page < count; ++page) {
        noc_async_write(l1_addr + page * stride, tensor.get_noc_addr(first + page), page_bytes);
    }
    noc_async_write_barrier();
}

// Reads counts of experts, in one page or in one page each. Separate pages are read with the
// distance that alignment requires, and then compacted.
template <class Accessor>
void read_counts(const Accessor& counts, uint32_t num_experts, bool is_paged, uint32_t l1_addr) {
    if (!is_paged) {
        read_pages(counts, 0, 1, l1_addr, 0, num_experts * 4);
        return;
    }
    using tessera::ops::expert_rows::kCountStride;
    read_pages(counts, 0, num_experts, l1_addr, kCountStride, 4);
    for (uint32_t expert = 1; expert < num_experts; ++expert) {
        words_at(l1_addr)[expert] = words_at(l1_addr)[expert * kCountStride / 4];
    }
}

}  // namespace
