// SPDX-License-Identifier: Apache-2.0
// The slice of the tensor that one core of each device reduces, cut into rounds and chunks. The
// three kernels of a core walk it alike.
#pragma once

#include <cstdint>

#include "../../shared/kernels/arithmetic.hpp"

inline constexpr uint32_t kCbLocal = 0;     // own tiles, bfloat16
inline constexpr uint32_t kCbReceived = 1;  // partial sums of the device before, from the link
inline constexpr uint32_t kCbPartial = 2;   // partial sums for the device behind
inline constexpr uint32_t kCbReduced = 3;   // full sums of the chunk that ends here, bfloat16
inline constexpr uint32_t kCbGathered = 4;  // full sums of other chunks, from the link

struct TileRange {
    uint32_t begin;
    uint32_t end;
};

// A round covers num_devices chunks of at most `chunk_limit` tiles. A chunk's sum starts at the
// ring position of the chunk's own number and is full one position before it.
struct RingSlice {
    uint32_t first_tile;
    uint32_t num_tiles;
    uint32_t num_devices;
    uint32_t position;  // of this device in the ring
    uint32_t chunk_limit;

    uint32_t num_rounds() const {
        const uint32_t round_tiles = num_devices * chunk_limit;
        return div_up(num_tiles, round_tiles);
    }

    // Tiles of the chunk whose number lies `back` below `from` (mod num_devices).
    TileRange chunk(uint32_t round, uint32_t from, uint32_t back) const {
        const uint32_t index = (from + num_devices - back % num_devices) % num_devices;
        const uint32_t begin = round * num_devices * chunk_limit;
        const uint32_t rest = num_tiles - begin;
        const uint32_t tiles = rest < num_devices * chunk_limit ? rest : num_devices * chunk_limit;
        return {first_tile + begin + tiles * index / num_devices,
                first_tile + begin + tiles * (index + 1) / num_devices};
    }
    // Chunk that this device sends at step `step` of the reduce-scatter.
    TileRange to_reduce(uint32_t round, uint32_t step) const {
        return chunk(round, position, step);
    }
    // Chunk that this device holds in full at step `step` of the all-gather.
    TileRange to_gather(uint32_t round, uint32_t step) const {
        return chunk(round, position + 1, step);
    }
};

inline RingSlice ring_slice_from_args(uint32_t first_arg) {
    return {get_arg_val<uint32_t>(first_arg), get_arg_val<uint32_t>(first_arg + 1),
            get_arg_val<uint32_t>(first_arg + 2), get_arg_val<uint32_t>(first_arg + 3),
            get_arg_val<uint32_t>(first_arg + 4)};
}
