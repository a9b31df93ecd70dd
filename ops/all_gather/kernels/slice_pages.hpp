// SPDX-License-Identifier: Apache-2.0
// The pages of each slice that one core handles in one direction, and the counts that announce
// them.
#pragma once

#include "../../shared/kernels/arithmetic.hpp"

constexpr uint32_t kCbPages = 0;

struct PageRange {
    uint32_t begin;
    uint32_t end;

    // Counts that announce them, one behind each `sync` pages and one behind the rest.
    uint32_t num_syncs(uint32_t sync) const { return div_up(end - begin, sync); }
};

struct SlicePages {
    uint32_t slice_pages;  // pages of a device's input
    uint32_t first;        // this core's share of each slice
    uint32_t count;
    uint32_t num_devices;
    uint32_t position;
    uint32_t is_backward;
    uint32_t num_sent;
    uint32_t num_received;
    uint32_t is_last_halved;
    uint32_t batch;  // pages that go through the circular buffer together
    uint32_t sync;   // pages behind which the receiver is told

    // Device whose slice is the `step`-th in this direction; 0 is this device.
    uint32_t owner(uint32_t step) const {
        return is_backward ? (position + step) % num_devices
                           : (position + num_devices - step) % num_devices;
    }
    // Pages of this core in the `step`-th of `num_steps` slices.
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

inline SlicePages slice_pages_from_args(int at) {
    return {
        get_arg_val<uint32_t>(at),     get_arg_val<uint32_t>(at + 1), get_arg_val<uint32_t>(at + 2),
        get_arg_val<uint32_t>(at + 3), get_arg_val<uint32_t>(at + 4), get_arg_val<uint32_t>(at + 5),
        get_arg_val<uint32_t>(at + 6), get_arg_val<uint32_t>(at + 7), get_arg_val<uint32_t>(at + 8),
        get_arg_val<uint32_t>(at + 9), get_arg_val<uint32_t>(at + 10)};
}
