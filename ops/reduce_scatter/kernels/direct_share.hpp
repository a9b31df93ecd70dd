// SPDX-License-Identifier: Apache-2.0
// One core's share of each slice, in chunks that are summed together, and their addresses in L1.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::reduce_scatter::direct;

constexpr uint32_t kCbSend = index_of(Cb::Send);
constexpr uint32_t kCbArrived = index_of(Cb::Arrived);
constexpr uint32_t kCbSum = index_of(Cb::Sum);

struct DirectShare : ShareArgs {
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

inline DirectShare direct_share_from_args(uint32_t first) {
    return {ShareArgs::read(first)};
}
