// SPDX-License-Identifier: Apache-2.0
// A core's share of the blocks that hold tokens: from the host, or computed here from the counts in
// device memory by the rule of split_work_to_cores.
#pragma once

#include "../../kernels/arithmetic.hpp"
#include "args.hpp"

using tessera::ops::index_of;
using tessera::ops::valid_tiles::CoreOfGrid;
using tessera::ops::valid_tiles::Split;
using tessera::ops::valid_tiles::TileArgs;
using ValidCb = tessera::ops::valid_tiles::Cb;

// Counts in L1, one an expert, each at the distance of its page in DRAM.
struct TokenCounts {
    uint32_t l1_addr;
    uint32_t stride;
    uint32_t num_experts;

    uint32_t of(uint32_t expert) const {
        return *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(l1_addr + expert * stride);
    }
    uint32_t tile_rows(uint32_t expert) const {
        return (of(expert) + tt::constants::TILE_HEIGHT - 1) / tt::constants::TILE_HEIGHT;
    }
};

template <class Accessor>
TokenCounts read_counts(const Accessor& accessor, ValidCb cb, uint32_t stride,
                        uint32_t num_experts) {
    const uint32_t l1_addr = get_write_ptr(index_of(cb));
    for (uint32_t expert = 0; expert < num_experts; ++expert) {
        noc_async_read_page(expert, accessor, l1_addr + expert * stride);
    }
    noc_async_read_barrier();
    return {l1_addr, stride, num_experts};
}

struct BlockShape {
    uint32_t column_tiles;  // tiles of a row of the whole tensor
    uint32_t height;
    uint32_t width;
};

// Returns the blocks of all experts' tokens.
inline uint32_t count_blocks(const TokenCounts& counts, const BlockShape& block) {
    uint32_t rows = 0;
    for (uint32_t expert = 0; expert < counts.num_experts; ++expert) {
        rows += div_up(counts.tile_rows(expert), block.height);
    }
    return rows * div_up(block.column_tiles, block.width);
}

// Returns the tiles without tokens.
inline uint32_t count_zero_tiles(const TokenCounts& counts, uint32_t token_tiles,
                                 uint32_t column_tiles) {
    uint32_t rows = 0;
    for (uint32_t expert = 0; expert < counts.num_experts; ++expert) {
        rows += token_tiles - counts.tile_rows(expert);
    }
    return rows * column_tiles;
}

struct Share {
    uint32_t first;
    uint32_t stride;
    uint32_t count;
};

// Returns the units of this core, if `workers` cores share them: the first cores take one more.
inline Share part_of(uint32_t units, uint32_t workers, uint32_t index) {
    if (index >= workers) {
        return {0, 1, 0};
    }
    const uint32_t each = units / workers;
    const uint32_t rest = units % workers;
    return {index * each + (index < rest ? index : rest), 1, each + (index < rest ? 1 : 0)};
}

// Returns the number of cores that work. No more cores work than there are blocks; the same ones
// write the tiles without tokens.
inline uint32_t num_workers(const CoreOfGrid& core, uint32_t blocks, uint32_t zero_tiles) {
    const uint32_t units = blocks > 0 ? blocks : zero_tiles;
    return units < core.num_cores ? units : core.num_cores;
}

inline Share share_of_blocks(const CoreOfGrid& core, uint32_t blocks) {
    const uint32_t workers = num_workers(core, blocks, 0);
    Share share = part_of(blocks, workers, core.index);
    if (core.round_robin != 0 && share.count != 0) {
        share.first = core.index;
        share.stride = workers;
    }
    return share;
}

inline Share share_of_zeros(const CoreOfGrid& core, uint32_t blocks, uint32_t zero_tiles) {
    return part_of(zero_tiles, num_workers(core, blocks, zero_tiles), core.index);
}

// Describes the next block to compute or to the writer (kBlockWords).
inline void announce(ValidCb cb, uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3) {
    cb_reserve_back(index_of(cb), 1);
    volatile tt_l1_ptr uint32_t* words =
        reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(index_of(cb)));
    words[0] = word0;
    words[1] = word1;
    words[2] = word2;
    words[3] = word3;
    cb_push_back(index_of(cb), 1);
}
