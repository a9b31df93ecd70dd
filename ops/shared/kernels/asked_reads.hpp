// SPDX-License-Identifier: Apache-2.0
// Reads of weights that reader and writer of a core share: each reads the tiles of some banks over
// its own NoC.
#pragma once

#include <cstdint>

#include "dataflow_api.h"

namespace asked_reads {

// The banks of DRAM that a kernel reads.
struct Banks {
    uint32_t mask;  // a bit each
    uint32_t count;
    uint32_t row_step;  // from the bank of a tile to that of the next row of tiles

    // All bits are equal if there are more banks than bits.
    bool has(uint32_t bank) const { return (mask >> (bank & 31U) & 1U) != 0; }
    bool are_all() const { return mask == 0xFFFFFFFF; }
    uint32_t wrapped(uint32_t bank) const { return bank < count ? bank : bank - count; }
};

// A push of weights. Reader and writer read some of its tiles each.
struct Push {
    uint32_t first_page;
    uint32_t count;
    uint32_t l1_addr;
};

// Called by the reader: asks the writer for its tiles of a push.
inline void ask(uint32_t cb, const Push& push) {
    cb_reserve_back(cb, 1);
    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(cb));
    words[0] = push.first_page;
    words[1] = push.count;
    words[2] = push.l1_addr;
    cb_push_back(cb, 1);
}

// Called by the reader: waits for them. The buffer has one page, which the writer frees when they
// have arrived.
inline void wait_for_writer(uint32_t cb) {
    cb_reserve_back(cb, 1);
}

// Called by the writer: reads its tiles of the next push by `read`.
template <class Read>
void serve(uint32_t cb, const Read& read) {
    cb_wait_front(cb, 1);
    const auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(cb));
    read(Push{words[0], words[1], words[2]});
    noc_async_read_barrier();
    cb_pop_front(cb, 1);
}

}  // namespace asked_reads
