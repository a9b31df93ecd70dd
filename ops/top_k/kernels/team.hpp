// SPDX-License-Identifier: Apache-2.0
// The processors that share rows.
#pragma once

#include "args.hpp"
#include "dataflow_api.h"

namespace {

using namespace tessera::ops::top_k;

constexpr uint32_t kTensorArg = SharedRows::kCount;
constexpr uint32_t kCoresArg = kTensorArg + SelectTensors::Addresses::kCount;

// The cores of the processors that share a row; two of them are on each.
struct Team {
    SharedRows range;
    uint32_t sharers;

    uint32_t num_cores() const { return sharers / 2; }
    uint64_t on_core(uint32_t core, uint32_t l1_addr) const {
        return get_noc_addr(get_arg_val<uint32_t>(kCoresArg + 2 * core),
                            get_arg_val<uint32_t>(kCoresArg + 2 * core + 1), l1_addr);
    }
    void signal(uint32_t semaphore) const {
        for (uint32_t core = 0; core < num_cores(); ++core) {
            noc_semaphore_inc(on_core(core, get_semaphore(semaphore)), 1);
        }
    }
    // Waits until all have signalled `rounds` times.
    void wait(uint32_t semaphore, uint32_t rounds) const {
        noc_semaphore_wait_min(
            reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(semaphore)),
            rounds * sharers);
    }
};

}  // namespace
