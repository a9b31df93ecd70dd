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

constexpr uint32_t kBlockBytes = kBlockTiles * kBlockTiles * kWeightTile;

// Reads tiles of one block of interleaved weights, (features, K) in DRAM, one row after the other.
inline void read_tiles(const PageAccessor& weights, const Banks& banks, uint32_t first_page,
                       uint32_t k_tiles, uint32_t l1_addr) {
    uint32_t first_bank = first_page % banks.count;
    for (uint32_t feature = 0; feature < kBlockTiles; ++feature) {
        uint32_t bank = first_bank;
        for (uint32_t k = 0; k < kBlockTiles; ++k) {
            if (banks.has(bank)) {
                noc_async_read(weights.get_noc_addr(first_page + k), l1_addr, kWeightTile);
            }
            l1_addr += kWeightTile;
            bank = banks.wrapped(bank + 1);
        }
        first_page += k_tiles;
        first_bank = banks.wrapped(first_bank + banks.row_step);
    }
}

// Reads a block that is a shard, if its bank is one of `banks`: one read, in the largest packets.
inline void read_shard(const PageAccessor& weights, const Banks& banks, uint32_t shard,
                       uint32_t l1_addr) {
    if (banks.has(shard % banks.count)) {
        noc_async_read(weights.get_shard_noc_addr(shard), l1_addr, kBlockBytes);
    }
}

// Starts to read the blocks of K of a push. All are in flight together. `k_tiles` is 0 if each
// block is a shard; the push then has the number of its first shard in place of the page.
inline void read_push(const PageAccessor& weights, const Banks& banks, uint32_t k_tiles,
                      const Push& push) {
    for (uint32_t i = 0; i < push.count; ++i) {
        const uint32_t l1_addr = push.l1_addr + i * kBlockBytes;
        if (k_tiles == 0) {
            read_shard(weights, banks, push.first_page + i, l1_addr);
        } else {
            read_tiles(weights, banks, push.first_page + i * kBlockTiles, k_tiles, l1_addr);
        }
    }
}

}  // namespace block_reads
