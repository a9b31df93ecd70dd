// SPDX-License-Identifier: Apache-2.0
// The slices that one core sends in one direction, farthest first, and the slice that stays.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::reduce_scatter::line;

constexpr uint32_t kCbOwn = index_of(Cb::Own);
constexpr uint32_t kCbForward = index_of(Cb::Forward);
constexpr uint32_t kCbBackward = index_of(Cb::Backward);
constexpr uint32_t kCbSum = index_of(Cb::Sum);

struct Journey : JourneyArgs {
    // Devices behind this one, from which sums come, and devices ahead, to which they go.
    uint32_t num_behind() const { return is_backward ? num_devices - 1 - position : position; }
    uint32_t num_ahead() const { return num_devices - 1 - num_behind(); }
    bool has_partial() const { return num_behind() != 0; }
    // Returns whether this core completes its slice. One core of each lane completes the slice that
    // stays, with the data of the opposite direction.
    bool completes() const { return is_completing; }
    bool has_far_side() const { return num_ahead() != 0; }

    // Slice sent in step 0 … num_ahead() - 1.
    uint32_t sent(uint32_t step) const { return is_backward ? step : num_devices - 1 - step; }
    uint32_t begin_of(uint32_t slice) const { return slice * slice_tiles + first; }
    uint32_t num_batches() const { return div_up(count, batch); }
    uint32_t tiles_in(uint32_t index) const {
        const uint32_t left = count - index * batch;
        return left < batch ? left : batch;
    }
};

inline Journey journey_from_args(uint32_t first) {
    return {JourneyArgs::read(first)};
}
