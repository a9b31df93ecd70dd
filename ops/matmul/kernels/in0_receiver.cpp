// SPDX-License-Identifier: Apache-2.0
// Takes in the blocks of in0 that another core multicasts.
#include "../../shared/kernels/block_handshake.hpp"
#include "args.hpp"

void kernel_main() {
    using namespace tessera::ops;
    using namespace tessera::ops::matmul;
    constexpr uint32_t cb_in0 = index_of(Cb::In0);
    const BlockReceiver receiver;
    const auto args = In0ReceiverArgs::read();

    for (uint32_t block = 0; block < args.num_blocks; ++block) {
        // The reply in receive() promises free pages, so they are reserved first.
        cb_reserve_back(cb_in0, args.block_tiles);
        receiver.receive();
        cb_push_back(cb_in0, args.block_tiles);
    }
    // A reply in flight at the end would be counted for the next kernel on this RISC.
    noc_async_atomic_barrier();
}
