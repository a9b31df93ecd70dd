// SPDX-License-Identifier: Apache-2.0
// Number of blocks of a compute kernel: the host's number, or the one that the reader found.
#pragma once

#include "args.hpp"

inline uint32_t num_blocks_of(uint32_t argument) {
    if (argument != tessera::ops::valid_tiles::kCountFromReader) {
        return argument;
    }
    constexpr uint32_t kCbBlocks =
        tessera::ops::index_of(tessera::ops::valid_tiles::Cb::ComputeBlocks);
    cb_wait_front(kCbBlocks, 1);
    const uint32_t count = read_tile_value(kCbBlocks, 0, 0);
    cb_pop_front(kCbBlocks, 1);
    return count;
}
