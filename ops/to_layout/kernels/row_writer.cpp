// SPDX-License-Identifier: Apache-2.0
// Writes the rows of a block that the tensor has; padding stays behind.
#include "../../shared/kernels/arithmetic.hpp"

namespace {

constexpr uint32_t cb_rows = tt::CBIndex::c_16;
constexpr uint32_t tile_height = tt::constants::TILE_HEIGHT;

}  // namespace

void kernel_main() {
    const uint32_t output_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_block = get_arg_val<uint32_t>(1);
    const uint32_t num_blocks = get_arg_val<uint32_t>(2);
    const uint32_t matrix_rows = get_compile_time_arg_val(0);
    const uint32_t row_bytes = get_compile_time_arg_val(1);
    const uint32_t block_tiles = get_compile_time_arg_val(2);
    const uint32_t blocks_per_row = get_compile_time_arg_val(3);
    const uint32_t block_bytes = get_compile_time_arg_val(4);
    constexpr auto output_args = TensorAccessorArgs<5>();
    const auto output = TensorAccessor(output_args, output_addr);

    const uint32_t tile_rows = div_up(matrix_rows, tile_height);
    for (uint32_t block = first_block; block < first_block + num_blocks; ++block) {
        const uint32_t tile_row = block / blocks_per_row;
        const uint32_t start = block % blocks_per_row * block_bytes;
        const uint32_t row_in_matrix = tile_row % tile_rows * tile_height;
        const uint32_t first_row = tile_row / tile_rows * matrix_rows + row_in_matrix;
        const uint32_t num_rows = smaller(tile_height, matrix_rows - row_in_matrix);
        const uint32_t num_bytes = smaller(block_bytes, row_bytes - start);

        cb_wait_front(cb_rows, block_tiles);
        uint32_t l1_addr = get_read_ptr(cb_rows);
        for (uint32_t row = first_row; row < first_row + num_rows; ++row) {
            // Only bytes that the tensor has: padding would overwrite the next row.
            noc_async_write(l1_addr, output.get_noc_addr(row, start), num_bytes);
            l1_addr += block_bytes;
        }
        // The block has left L1; arrival is awaited once, at the end.
        noc_async_writes_flushed();
        cb_pop_front(cb_rows, block_tiles);
    }
    noc_async_write_barrier();
}
