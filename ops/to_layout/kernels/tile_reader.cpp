// SPDX-License-Identifier: Apache-2.0
// Reads the tiles of a block; what a last block has beyond its row is never written anywhere.
#include "args.hpp"

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
        const uint32_t first_column = block % args.blocks_per_row * args.block_tiles;
        const uint32_t row_start = block / args.blocks_per_row * args.tile_columns;

        // Whole blocks, also at the end of a row: the buffer is a multiple of them.
        cb_reserve_back(cb_tiles, args.block_tiles);
        uint32_t l1_addr = get_write_ptr(cb_tiles);
        for (uint32_t i = 0; i < args.block_tiles && first_column + i < args.tile_columns; ++i) {
            noc_async_read_page(row_start + first_column + i, input, l1_addr);
            l1_addr += tile_size;
        }
        // One barrier for the tiles of a block.
        noc_async_read_barrier();
        cb_push_back(cb_tiles, args.block_tiles);
    }
}
