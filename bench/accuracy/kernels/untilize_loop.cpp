// SPDX-License-Identifier: Apache-2.0
// Untilizes rows of tiles in L1 repeatedly, in the packer or in the unpacker.
#include "loop_args.hpp"

using namespace tessera::score;

void kernel_main() {
    constexpr uint32_t cb_in = tt::CBIndex::c_0;
    constexpr uint32_t cb_out = tt::CBIndex::c_16;
    constexpr uint32_t kBlock = 4;  // tiles per row
    const auto args = UntilizeLoopArgs::read();
    const bool by_packer = args.by_packer != 0;

    if (by_packer) {
        pack_untilize_init<kBlock>(cb_in, cb_out);
    } else {
        unary_op_init_common(cb_in, cb_out);
        untilize_init(cb_in);
    }
    cb_wait_front(cb_in, kBlock);
    for (uint32_t i = 0; i < args.count; i += kBlock) {
        cb_reserve_back(cb_out, kBlock);
        if (by_packer) {
            pack_untilize_block<kBlock>(cb_in, 1, cb_out);
        } else {
            untilize_block(cb_in, kBlock, cb_out);
        }
        cb_push_back(cb_out, kBlock);
        cb_wait_front(cb_out, kBlock);
        cb_pop_front(cb_out, kBlock);
    }
}
