// SPDX-License-Identifier: Apache-2.0
// Sums one output tile over all of K in DST.
#include "args.hpp"
#include "compute_kernel_api/matmul.h"

using namespace tessera::ops;
using namespace tessera::ops::my_bmm;

void kernel_main() {
    constexpr uint32_t cb_input = index_of(Cb::Input);
    constexpr uint32_t cb_weights = index_of(Cb::Weights);
    constexpr uint32_t cb_output = index_of(Cb::Output);
    const auto range = ComputeRange::read();
    mm_init(cb_input, cb_weights, cb_output);

    for (uint32_t tile = 0; tile < range.num_tiles; ++tile) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < range.k_tiles; ++k) {
            cb_wait_front(cb_input, 1);
            cb_wait_front(cb_weights, 1);
            matmul_tiles(cb_input, cb_weights, 0, 0, 0);
            cb_pop_front(cb_input, 1);
            cb_pop_front(cb_weights, 1);
        }
        tile_regs_commit();
        cb_reserve_back(cb_output, 1);
        tile_regs_wait();
        pack_tile(0, cb_output);
        tile_regs_release();
        cb_push_back(cb_output, 1);
    }
}
