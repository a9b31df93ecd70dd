// SPDX-License-Identifier: Apache-2.0
// The slice of the tensor that one core of each device reduces, cut into rounds and chunks. The
// three kernels of a core walk it alike.
#pragma once

#include <cstdint>

#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::all_reduce;

inline constexpr uint32_t kCbLocal = index_of(Cb::Local);
inline constexpr uint32_t kCbReceived = index_of(Cb::Received);
inline constexpr uint32_t kCbPartial = index_of(Cb::Partial);
inline constexpr uint32_t kCbReduced = index_of(Cb::Reduced);
inline constexpr uint32_t kCbGathered = index_of(Cb::Gathered);

struct TileRange {
    uint32_t begin;
    uint32_t end;
};

// A round covers num_devices chunks of at most `chunk_limit` tiles. A chunk's sum starts at the
// ring position of the chunk's own number and is full one position before it.
struct RingSlice : SliceArgs {
    uint32_t num_rounds() const {
        const uint32_t round_tiles = num_devices * chunk_limit;
        return div_up(num_tiles, round_tiles);
    }

    // Returns the tiles of the chunk whose number is `back` below `from` (mod num_devices).
    TileRange chunk(uint32_t round, uint32_t from, uint32_t back) const {
        const uint32_t index = (from + num_devices - back % num_devices) % num_devices;
        const uint32_t begin = round * num_devices * chunk_limit;
        const uint32_t rest = num_tiles - begin;
        const uint32_t tiles = rest < num_devices * chunk_limit ? rest : num_devices * chunk_limit;
        return {first_tile + begin + tiles * index / num_devices,
                first_tile + begin + tiles * (index + 1) / num_devices};
    }
    // Returns the chunk that this device sends at step `step` of the reduce-scatter.
    TileRange to_reduce(uint32_t round, uint32_t step) const {
        return chunk(round, position, step);
    }
    // Returns the chunk that this device holds in full at step `step` of the all-gather.
    TileRange to_gather(uint32_t round, uint32_t step) const {
        return chunk(round, position + 1, step);
    }
};

inline RingSlice ring_slice_from_args(uint32_t first) {
    return {SliceArgs::read(first)};
}
