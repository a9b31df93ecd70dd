// SPDX-License-Identifier: Apache-2.0
// Reads the tiles of a block; what a last block has beyond its row is never written anywhere.
#include "tile_block.hpp"

using namespace tessera::ops;
using namespace tessera::ops::to_layout;

void kernel_main() {
    constexpr uint32_t cb_tiles = index_of(Cb::Input);
    const uint32_t input_address = ReaderTensors::input_address();
    const auto range = BlockRange::read(ReaderTensors::Addresses::kCount);
    const auto args = TileArgs::read();
    const uint32_t tile_size = get_tile_size(cb_tiles);
    const auto input = TensorAccessor(ReaderTensors::input(), input_address, tile_size);

    for (uint32_t block = range.first_block; block < range.first_block + range.num_blocks;
         ++block) {
        const TileBlock at = tile_block(block, args);

        // Whole blocks, also at the end of a row: the buffer is a multiple of them.
        cb_reserve_back(cb_tiles, args.block_tiles);
        move_tiles(
            at, args, get_write_ptr(cb_tiles), tile_size,
            [&](uint32_t page, uint32_t l1_addr) { noc_async_read_page(page, input, l1_addr); });
        // One barrier for the tiles of a block.
        noc_async_read_barrier();
        cb_push_back(cb_tiles, args.block_tiles);
    }
}
