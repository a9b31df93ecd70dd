// SPDX-License-Identifier: Apache-2.0
// A core's share of a grouped product: units are pairs of CTA and 128 output columns, CTA by CTA.
// Their number is known only in device memory, so reader and writer both compute the share.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "dataflow_api.h"

namespace units {

constexpr uint32_t kBlock = 128;

struct Share {
    uint32_t first;
    uint32_t count;
};

// Returns the share of a core by the arithmetic of split_work_to_cores: the first cores take one
// unit more.
inline Share share_of(uint32_t units, uint32_t core, uint32_t num_cores) {
    const uint32_t each = units / num_cores;
    const uint32_t more = units % num_cores;
    return {core * each + (core < more ? core : more), each + (core < more ? 1 : 0)};
}

// Reads the first `bytes` of page 0 to L1, and gives its first word.
inline uint32_t read_table(const TensorAccessor& table, uint32_t l1_addr, uint32_t bytes) {
    noc_async_read(table.get_noc_addr(0), l1_addr, bytes);
    noc_async_read_barrier();
    return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
}

// Starts to read `bytes` of a page from `offset` on. The read begins at the place before it that
// DRAM is read at: on Blackhole 64 B, more than the scales of eight rows. Returns the place of the
// bytes in L1.
inline uint32_t read_words(const TensorAccessor& tensor, uint32_t page, uint32_t offset,
                           uint32_t l1_addr, uint32_t bytes) {
    constexpr uint32_t kAlignment = 64;
    const uint32_t skipped = offset % kAlignment;
    noc_async_read(tensor.get_noc_addr(page, offset - skipped), l1_addr, skipped + bytes);
    return l1_addr + skipped;
}

inline uint32_t word(uint32_t l1_addr, uint32_t index) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr)[index];
}

}  // namespace units
