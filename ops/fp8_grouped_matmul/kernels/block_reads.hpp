// SPDX-License-Identifier: Apache-2.0
// Reads of blocks of weights, which reader and writer of a core may share: each reads the tiles of
// some banks over its own NoC.
#pragma once

#include "../../shared/kernels/asked_reads.hpp"
#include "args.hpp"

namespace block_reads {

constexpr uint32_t kBlockTiles = 4;     // along each side of a block of weights
constexpr uint32_t kWeightTile = 1024;  // bytes

using asked_reads::Banks;
using asked_reads::Push;

// Reads tiles of one block of weights, (features, K) in DRAM, so that the tiles of one K step are
// contiguous: in the order in which the product takes them.
inline void read_block(const PageAccessor& weights, const Banks& banks, uint32_t first_page,
                       uint32_t k_tiles, uint32_t l1_addr) {
    uint32_t first_bank = first_page % banks.count;
    for (uint32_t feature = 0; feature < kBlockTiles; ++feature) {
        uint32_t bank = first_bank;
        for (uint32_t k = 0; k < kBlockTiles; ++k) {
            if (banks.has(bank)) {
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
inline void read_push(const PageAccessor& weights, const Banks& banks, uint32_t k_tiles,
                      const Push& push) {
    for (uint32_t i = 0; i < push.count; ++i) {
        read_block(weights, banks, push.first_page + i * kBlockTiles, k_tiles,
                   push.l1_addr + i * kBlockTiles * kBlockTiles * kWeightTile);
    }
}

}  // namespace block_reads
