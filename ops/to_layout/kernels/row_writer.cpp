// SPDX-License-Identifier: Apache-2.0
// Writes the rows of a block that the tensor has; padding is not written.
#include "row_block.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::to_layout;

constexpr uint32_t cb_rows = index_of(Cb::Output);

}  // namespace

void kernel_main() {
    const uint32_t output_address = WriterTensors::output_address();
    const auto range = BlockRange::read(WriterTensors::Addresses::kCount);
    const auto args = RowArgs::read();
    const auto output = TensorAccessor(WriterTensors::output(), output_address);

    const uint32_t tile_rows = div_up(args.matrix_rows, uint32_t{tt::constants::TILE_HEIGHT});
    for (uint32_t block = range.first_block; block < range.first_block + range.num_blocks;
         ++block) {
        const RowBlock at = row_block(block, tile_rows, args);

        cb_wait_front(cb_rows, args.block_tiles);
        uint32_t l1_addr = get_read_ptr(cb_rows);
        for (uint32_t row = at.first_row; row < at.first_row + at.num_rows; ++row) {
            // Only bytes that the tensor has: padding would overwrite the next row.
            noc_async_write(l1_addr, output.get_noc_addr(row, at.start), at.num_bytes);
            l1_addr += args.block_bytes;
        }
        // The block has left L1; one barrier at the end waits for arrival.
        noc_async_writes_flushed();
        cb_pop_front(cb_rows, args.block_tiles);
    }
    noc_async_write_barrier();
}
