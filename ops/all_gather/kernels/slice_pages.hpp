// SPDX-License-Identifier: Apache-2.0
// The pages of each slice that one core handles in one direction, and the counts that announce
// them.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::all_gather;

constexpr uint32_t kCbPages = index_of(Cb::Pages);

struct PageRange {
    uint32_t begin;
    uint32_t end;

    // Counts that announce them, one after each `sync` pages and one after the rest.
    uint32_t num_syncs(uint32_t sync) const { return div_up(end - begin, sync); }
};

struct SlicePages : SliceArgs {
    // Returns the device whose slice is the `step`-th in this direction; step 0 is this device.
    uint32_t owner(uint32_t step) const {
        return is_backward ? (position + step) % num_devices
                           : (position + num_devices - step) % num_devices;
    }
    // Returns the pages of this core in the `step`-th of `num_steps` slices.
    PageRange pages(uint32_t step, uint32_t num_steps) const {
        const uint32_t base = owner(step) * slice_pages + first;
        const bool is_halved = is_last_halved && step + 1 == num_steps;
        const uint32_t half = (count + 1) / 2;
        return {base + (is_halved && is_backward ? half : 0),
                base + (is_halved && !is_backward ? half : count)};
    }
    // Slices received count from 1: what was sent by the device before as its step - 1.
    PageRange received(uint32_t step) const { return pages(step, num_received + 1); }
    PageRange sent(uint32_t step) const { return pages(step, num_sent); }
};
