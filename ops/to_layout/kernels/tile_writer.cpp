// SPDX-License-Identifier: Apache-2.0
// Writes the tiles of a block that the tensor has.
#include "tile_block.hpp"

using namespace tessera::ops;
using namespace tessera::ops::to_layout;

void kernel_main() {
    constexpr uint32_t cb_tiles = index_of(Cb::Output);
    const uint32_t output_address = WriterTensors::output_address();
    const auto range = BlockRange::read(WriterTensors::Addresses::kCount);
    const auto args = TileArgs::read();
    const uint32_t tile_size = get_tile_size(cb_tiles);
    const auto output = TensorAccessor(WriterTensors::output(), output_address, tile_size);

    for (uint32_t block = range.first_block; block < range.first_block + range.num_blocks;
         ++block) {
        const TileBlock at = tile_block(block, args);

        cb_wait_front(cb_tiles, args.block_tiles);
        move_tiles(
            at, args, get_read_ptr(cb_tiles), tile_size,
            [&](uint32_t page, uint32_t l1_addr) { noc_async_write_page(page, output, l1_addr); });
        noc_async_writes_flushed();
        cb_pop_front(cb_tiles, args.block_tiles);
    }
    noc_async_write_barrier();
}
