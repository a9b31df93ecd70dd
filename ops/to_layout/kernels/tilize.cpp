// SPDX-License-Identifier: Apache-2.0
#include "args.hpp"

using namespace tessera::ops;
using namespace tessera::ops::to_layout;

void kernel_main() {
    const uint32_t num_blocks = BlockCount::read().num_blocks;
    const uint32_t block_tiles = ComputeArgs::read().block_tiles;
    constexpr uint32_t cb_rows = index_of(Cb::Input);
    constexpr uint32_t cb_tiles = index_of(Cb::Output);

    tilize_init(cb_rows, block_tiles, cb_tiles);
    for (uint32_t block = 0; block < num_blocks; ++block) {
        cb_wait_front(cb_rows, block_tiles);
        cb_reserve_back(cb_tiles, block_tiles);
        tilize_block(cb_rows, block_tiles, cb_tiles);
        cb_push_back(cb_tiles, block_tiles);
        cb_pop_front(cb_rows, block_tiles);
    }
}
