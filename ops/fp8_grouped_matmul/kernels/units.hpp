// SPDX-License-Identifier: Apache-2.0
// A core's share of a grouped product: units are pairs of a group of CTAs and 128 output columns,
// group by group. Their number is known only in device memory, so reader and writer both compute the
// share.
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
inline uint32_t read_table(const PageAccessor& table, uint32_t l1_addr, uint32_t bytes) {
    noc_async_read(table.get_noc_addr(0), l1_addr, bytes);
    noc_async_read_barrier();
    return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
}

inline uint32_t word(uint32_t l1_addr, uint32_t index) {
    return reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr)[index];
}

// CTAs of an expert whose rows are in the same tiles, so that weights are read once for them.
struct Groups {
    uint32_t l1_addr;  // of each group's first CTA, and the end
    uint32_t limit;    // table of the ends of the CTAs' rows
    uint32_t count;

    uint32_t first_cta(uint32_t group) const { return word(l1_addr, group); }
    uint32_t end_row(uint32_t group) const { return word(limit, first_cta(group + 1) - 1); }
};

// Lists groups of up to `most` of `live` CTAs at `l1_addr`, which may be that of `batch`, the table
// of experts. The CTAs of an expert are consecutive, and only its last one has fewer rows than
// others, so that the rows of a group are consecutive, too.
inline Groups make_groups(uint32_t batch, uint32_t limit, uint32_t live, uint32_t most,
                          uint32_t l1_addr) {
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr);
    Groups groups{l1_addr, limit, 0};
    for (uint32_t first = 0; first < live;) {
        const uint32_t expert = word(batch, first);
        uint32_t end = first + 1;
        while (end < live && end < first + most && word(batch, end) == expert) {
            ++end;
        }
        words[groups.count] = first;
        groups.count += 1;
        first = end;
    }
    words[groups.count] = live;
    return groups;
}

// Returns the bytes from the place before `offset` that DRAM is read at: on Blackhole 64 B, more
// than the scales of eight rows.
inline uint32_t skipped_bytes(uint32_t offset) {
    constexpr uint32_t kAlignment = 64;
    return offset % kAlignment;
}

// Starts to read `bytes` of a page from `offset` on, with the skipped bytes before them. Returns the
// place of the bytes in L1.
inline uint32_t read_words(const PageAccessor& tensor, uint32_t page, uint32_t offset,
                           uint32_t l1_addr, uint32_t bytes) {
    const uint32_t skipped = skipped_bytes(offset);
    noc_async_read(tensor.get_noc_addr(page, offset - skipped), l1_addr, skipped + bytes);
    return l1_addr + skipped;
}

}  // namespace units
