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

constexpr uint32_t kColumnBytes = kBlockTiles * kWeightTile;
constexpr uint32_t kBlockBytes = kBlockTiles * kColumnBytes;

// Weights, (features, K) in DRAM. A kernel reads the tiles in some of the banks.
struct Weights {
    const PageAccessor& tensor;
    Banks banks;
    uint32_t row_tiles;  // of K
    bool has_shards;     // of the tiles of a block and one K step; else each page is a tile

    // Number of the first shard, or page, of a row of blocks.
    uint32_t first_of(uint32_t block_row) const {
        return block_row * row_tiles * (has_shards ? 1 : kBlockTiles);
    }
};

// Reads tiles of one block of interleaved weights, so that the tiles of one K step are contiguous:
// in the order in which the product takes them.
inline void read_tiles(const Weights& weights, uint32_t first_page, uint32_t l1_addr) {
    const Banks banks = weights.banks;
    uint32_t first_bank = first_page % banks.count;
    for (uint32_t feature = 0; feature < kBlockTiles; ++feature) {
        uint32_t bank = first_bank;
        for (uint32_t k = 0; k < kBlockTiles; ++k) {
            if (banks.has(bank)) {
                noc_async_read(weights.tensor.get_noc_addr(first_page + k),
                               l1_addr + k * kColumnBytes + feature * kWeightTile, kWeightTile);
            }
            bank = banks.wrapped(bank + 1);
        }
        first_page += weights.row_tiles;
        first_bank = banks.wrapped(first_bank + banks.row_step);
    }
}

// Reads a block of four shards: one read brings the tiles of a K step.
inline void read_shards(const Weights& weights, uint32_t first_shard, uint32_t l1_addr) {
    const Banks banks = weights.banks;
    uint32_t bank = first_shard % banks.count;
    for (uint32_t k = 0; k < kBlockTiles; ++k) {
        if (banks.has(bank)) {
            noc_async_read(weights.tensor.get_shard_noc_addr(first_shard + k),
                           l1_addr + k * kColumnBytes, kColumnBytes);
        }
        bank = banks.wrapped(bank + 1);
    }
}

// Starts to read the blocks of K of a push. All are in flight together.
inline void read_push(const Weights& weights, const Push& push) {
    for (uint32_t i = 0; i < push.count; ++i) {
        const uint32_t first = push.first_page + i * kBlockTiles;
        const uint32_t l1_addr = push.l1_addr + i * kBlockBytes;
        if (weights.has_shards) {
            read_shards(weights, first, l1_addr);
        } else {
            read_tiles(weights, first, l1_addr);
        }
    }
}

}  // namespace block_reads
