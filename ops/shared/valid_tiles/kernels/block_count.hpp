// SPDX-License-Identifier: Apache-2.0
// How many blocks a compute kernel has to work on: argument 0, or what the reader found.
#pragma once

// In place of a number: the reader works it out and pushes it first.
constexpr uint32_t kCountFromReader = 0xFFFFFFFF;

inline uint32_t num_blocks_of(uint32_t argument, uint32_t cb_blocks) {
    if (argument != kCountFromReader) {
        return argument;
    }
    cb_wait_front(cb_blocks, 1);
    const uint32_t count = read_tile_value(cb_blocks, 0, 0);
    cb_pop_front(cb_blocks, 1);
    return count;
}
