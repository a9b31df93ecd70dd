// SPDX-License-Identifier: Apache-2.0
// Gathers 32 rows of a block, zeros where the tensor ends, for tilize.
#include "row_block.hpp"

namespace {

using namespace tessera::ops;
using namespace tessera::ops::to_layout;

constexpr uint32_t cb_rows = index_of(Cb::Input);
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

void fill_zeros(uint32_t l1_addr, uint32_t num_bytes) {
    tt_l1_ptr uint16_t* halves = reinterpret_cast<tt_l1_ptr uint16_t*>(l1_addr);
    for (uint32_t i = 0; i < num_bytes / 2; ++i) {
        halves[i] = 0;
    }
}

}  // namespace

void kernel_main() {
    const uint32_t input_address = ReaderTensors::input_address();
    const auto range = BlockRange::read(ReaderTensors::Addresses::kCount);
    const auto args = RowArgs::read();
    const auto input = TensorAccessor(ReaderTensors::input(), input_address);

    const uint32_t tile_rows = div_up(args.matrix_rows, tile_height);
    for (uint32_t block = range.first_block; block < range.first_block + range.num_blocks;
         ++block) {
        const RowBlock at = row_block(block, tile_rows, args);

        cb_reserve_back(cb_rows, args.block_tiles);
        uint32_t l1_addr = get_write_ptr(cb_rows);
        for (uint32_t row = at.first_row; row < at.first_row + at.num_rows; ++row) {
            noc_async_read(input.get_noc_addr(row, at.start), l1_addr, at.num_bytes);
            // The columns after the row are written by the core while the read is in flight; the
            // two do not overlap.
            fill_zeros(l1_addr + at.num_bytes, args.block_bytes - at.num_bytes);
            l1_addr += args.block_bytes;
        }
        // Rows after the matrix are zeros, as tiles of a tensor are padded.
        fill_zeros(l1_addr, (tile_height - at.num_rows) * args.block_bytes);
        // One barrier for 32 rows.
        noc_async_read_barrier();
        cb_push_back(cb_rows, args.block_tiles);
    }
}
