// SPDX-License-Identifier: Apache-2.0
// Reads of blocks of weights, which reader and writer of a core may share: each reads the tiles of
// some banks over its own NoC.
#pragma once

#include "args.hpp"
#include "dataflow_api.h"

namespace block_reads {

constexpr uint32_t kBlockTiles = 4;     // along each side of a block of weights
constexpr uint32_t kWeightTile = 1024;  // bytes

// The banks of DRAM that a kernel reads.
struct Banks {
    uint32_t mask;  // a bit each
    uint32_t count;
    uint32_t row_step;  // from the bank of a tile to that of the next row of tiles

    uint32_t wrapped(uint32_t bank) const { return bank < count ? bank : bank - count; }
};

// A push of weights, of which the writer reads its tiles.
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

// Reads tiles of one block of weights, (features, K) in DRAM, so that the tiles of one K step are
// contiguous: in the order in which the product takes them.
inline void read_block(const TensorAccessor& weights, const Banks& banks, uint32_t first_page,
                       uint32_t k_tiles, uint32_t l1_addr) {
    uint32_t first_bank = first_page % banks.count;
    for (uint32_t feature = 0; feature < kBlockTiles; ++feature) {
        uint32_t bank = first_bank;
        for (uint32_t k = 0; k < kBlockTiles; ++k) {
            if ((banks.mask >> bank & 1) != 0) {
                noc_async_read(weights.get_noc_addr(first_page + k),
                               l1_addr + (k * kBlockTiles + feature) * kWeightTile, kWeightTile);
            }
            bank = banks.wrapped(bank + 1);
        }
        first_page += k_tiles;
        first_bank = banks.wrapped(first_bank + banks.row_step);
    }
}

// Starts to read tiles of the `count` blocks of K of a push. All are in flight together.
inline void read_push(const TensorAccessor& weights, const Banks& banks, uint32_t k_tiles,
                      const Push& push) {
    for (uint32_t i = 0; i < push.count; ++i) {
        read_block(weights, banks, push.first_page + i * kBlockTiles, k_tiles,
                   push.l1_addr + i * kBlockTiles * kBlockTiles * kWeightTile);
    }
}

}  // namespace block_reads
