// SPDX-License-Identifier: Apache-2.0
// Weights from one DRAM bank to a circular buffer.
#pragma once

#include "weight_stream_args.hpp"

// Pushes of weights, two of them on their way: one barrier for all would leave the bank idle
// at the end of each push.
template <class Accessor>
struct WeightStream {
    Accessor& weights;
    uint32_t cb_weights;
    uint32_t k_push;  // tiles of one push
    uint32_t pushes;  // that the circular buffer holds
    uint32_t tile_bytes;
    uint32_t l1_addr;
    uint32_t issued = 0;
    uint32_t done = 0;

    void complete() {
        noc_async_read_barrier_with_trid(1 + done % tessera::ops::kPushesInFlight);
        cb_push_back(cb_weights, k_push);
        done += 1;
    }
    void drain() {
        while (done != issued) {
            complete();
        }
        noc_async_read_set_trid(0);
    }
    // Reads `count` tiles, `step` apart.
    void add(uint32_t tile, uint32_t count, uint32_t step) {
        if (issued - done == tessera::ops::kPushesInFlight) {
            complete();
        }
        cb_reserve_back(cb_weights, (issued - done + 1) * k_push);
        noc_async_read_set_trid(1 + issued % tessera::ops::kPushesInFlight);
        uint32_t target = l1_addr + issued % pushes * k_push * tile_bytes;
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_read_page(tile, weights, target);
            tile += step;
            target += tile_bytes;
        }
        issued += 1;
    }
};
