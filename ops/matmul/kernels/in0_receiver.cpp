// SPDX-License-Identifier: Apache-2.0
// Takes in the blocks of in0 that another core multicasts.
#include "../../shared/kernels/block_handshake.hpp"

void kernel_main() {
    constexpr uint32_t cb_in0 = tt::CBIndex::c_0;
    const BlockReceiver receiver(0);
    const uint32_t block_tiles = get_compile_time_arg_val(0);
    const uint32_t num_blocks = get_compile_time_arg_val(1);

    for (uint32_t block = 0; block < num_blocks; ++block) {
        cb_reserve_back(cb_in0, block_tiles);
        receiver.receive();
        cb_push_back(cb_in0, block_tiles);
    }
    noc_async_atomic_barrier();
}
