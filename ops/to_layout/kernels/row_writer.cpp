// SPDX-License-Identifier: Apache-2.0
// Writes the rows of a block that the tensor has; padding is not written.
#include "../../shared/kernels/arithmetic.hpp"
#include "args.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::to_layout;

constexpr uint32_t cb_rows = index_of(Cb::Output);
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

}  // namespace

void kernel_main() {
    const uint32_t output_address = WriterTensors::output_address();
    const auto range = BlockRange::read(WriterTensors::Addresses::kCount);
    const auto args = RowArgs::read();
    const auto output = TensorAccessor(WriterTensors::output(), output_address);

    const uint32_t tile_rows = div_up(args.matrix_rows, tile_height);
    for (uint32_t block = range.first_block; block < range.first_block + range.num_blocks;
         ++block) {
        const uint32_t tile_row = block / args.blocks_per_row;
        const uint32_t start = block % args.blocks_per_row * args.block_bytes;
        const uint32_t row_in_matrix = tile_row % tile_rows * tile_height;
        const uint32_t first_row = tile_row / tile_rows * args.matrix_rows + row_in_matrix;
        const uint32_t num_rows = smaller(tile_height, args.matrix_rows - row_in_matrix);
        const uint32_t num_bytes = smaller(args.block_bytes, args.row_bytes - start);

        cb_wait_front(cb_rows, args.block_tiles);
        uint32_t l1_addr = get_read_ptr(cb_rows);
        for (uint32_t row = first_row; row < first_row + num_rows; ++row) {
            // Only bytes that the tensor has: padding would overwrite the next row.
            noc_async_write(l1_addr, output.get_noc_addr(row, start), num_bytes);
            l1_addr += args.block_bytes;
        }
        // The block has left L1; one barrier at the end waits for arrival.
        noc_async_writes_flushed();
        cb_pop_front(cb_rows, args.block_tiles);
    }
    noc_async_write_barrier();
}
