// SPDX-License-Identifier: Apache-2.0
// One core's share of each slice, in chunks that are summed together, and where they lie in L1.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"

constexpr uint32_t kCbSend = 0;     // own tiles of others' slices
constexpr uint32_t kCbArrived = 1;  // of each chunk a block from each device, this one's first
constexpr uint32_t kCbSum = 2;

struct DirectShare {
    uint32_t slice_tiles;
    uint32_t first;
    uint32_t count;
    uint32_t num_devices;
    uint32_t position;
    uint32_t chunk;  // tiles

    uint32_t num_chunks() const { return div_up(count, chunk); }
    uint32_t tiles_in(uint32_t index) const {
        const uint32_t left = count - index * chunk;
        return left < chunk ? left : chunk;
    }
    // Tiles of all devices' blocks of a chunk.
    uint32_t group() const { return num_devices * chunk; }
    uint32_t begin_of(uint32_t slice) const { return slice * slice_tiles + first; }
    // Tile of kCbArrived where device `to` has this device's block of a chunk.
    uint32_t place(uint32_t index, uint32_t to) const {
        const uint32_t block = position == to ? 0 : position < to ? position + 1 : position;
        return index * group() + block * chunk;
    }
};

inline DirectShare direct_share_from_args(int at) {
    return {get_arg_val<uint32_t>(at),     get_arg_val<uint32_t>(at + 1),
            get_arg_val<uint32_t>(at + 2), get_arg_val<uint32_t>(at + 3),
            get_arg_val<uint32_t>(at + 4), get_arg_val<uint32_t>(at + 5)};
}
