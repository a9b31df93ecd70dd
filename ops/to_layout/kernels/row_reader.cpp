// SPDX-License-Identifier: Apache-2.0
// Gathers 32 rows of a block, zeros where the tensor ends, for tilize.
#include "../../shared/kernels/arithmetic.hpp"

namespace {

constexpr uint32_t cb_rows = tt::CBIndex::c_0;
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

void fill_zeros(uint32_t l1_addr, uint32_t num_bytes) {
    tt_l1_ptr uint16_t* halves = reinterpret_cast<tt_l1_ptr uint16_t*>(l1_addr);
    for (uint32_t i = 0; i < num_bytes / 2; ++i) {
        halves[i] = 0;
    }
}

}  // namespace

void kernel_main() {
    const uint32_t input_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_block = get_arg_val<uint32_t>(1);
    const uint32_t num_blocks = get_arg_val<uint32_t>(2);
    const uint32_t matrix_rows = get_compile_time_arg_val(0);
    const uint32_t row_bytes = get_compile_time_arg_val(1);
    const uint32_t block_tiles = get_compile_time_arg_val(2);
    const uint32_t blocks_per_row = get_compile_time_arg_val(3);
    const uint32_t block_bytes = get_compile_time_arg_val(4);
    constexpr auto input_args = TensorAccessorArgs<5>();
    const auto input = TensorAccessor(input_args, input_addr);

    // Matrices of a stack begin with a tile of their own.
    const uint32_t tile_rows = div_up(matrix_rows, tile_height);
    for (uint32_t block = first_block; block < first_block + num_blocks; ++block) {
        const uint32_t tile_row = block / blocks_per_row;
        const uint32_t start = block % blocks_per_row * block_bytes;
        const uint32_t row_in_matrix = tile_row % tile_rows * tile_height;
        const uint32_t first_row = tile_row / tile_rows * matrix_rows + row_in_matrix;
        const uint32_t num_rows = smaller(tile_height, matrix_rows - row_in_matrix);
        const uint32_t num_bytes = smaller(block_bytes, row_bytes - start);

        cb_reserve_back(cb_rows, block_tiles);
        uint32_t l1_addr = get_write_ptr(cb_rows);
        for (uint32_t row = first_row; row < first_row + num_rows; ++row) {
            noc_async_read(input.get_noc_addr(row, start), l1_addr, num_bytes);
            // The columns after the row are written by the core while the read is in flight; the
            // two do not overlap.
            fill_zeros(l1_addr + num_bytes, block_bytes - num_bytes);
            l1_addr += block_bytes;
        }
        // Rows after the matrix are zeros, as tiles of a tensor are padded.
        fill_zeros(l1_addr, (tile_height - num_rows) * block_bytes);
        // One barrier for 32 rows.
        noc_async_read_barrier();
        cb_push_back(cb_rows, block_tiles);
    }
}
