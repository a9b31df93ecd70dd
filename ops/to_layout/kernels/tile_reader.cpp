// SPDX-License-Identifier: Apache-2.0
// Reads the tiles of a block; what a last block has beyond its row is never written anywhere.

void kernel_main() {
    const uint32_t input_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_block = get_arg_val<uint32_t>(1);
    const uint32_t num_blocks = get_arg_val<uint32_t>(2);
    const uint32_t tile_columns = get_compile_time_arg_val(0);
    const uint32_t block_tiles = get_compile_time_arg_val(1);
    const uint32_t blocks_per_row = get_compile_time_arg_val(2);
    constexpr auto input_args = TensorAccessorArgs<3>();
    constexpr uint32_t cb_tiles = tt::CBIndex::c_0;
    const uint32_t tile_size = get_tile_size(cb_tiles);
    const auto input = TensorAccessor(input_args, input_addr, tile_size);

    for (uint32_t block = first_block; block < first_block + num_blocks; ++block) {
        const uint32_t first_column = block % blocks_per_row * block_tiles;
        const uint32_t row_start = block / blocks_per_row * tile_columns;

        // Whole blocks, also at the end of a row: the buffer is a multiple of them.
        cb_reserve_back(cb_tiles, block_tiles);
        uint32_t l1_addr = get_write_ptr(cb_tiles);
        for (uint32_t i = 0; i < block_tiles && first_column + i < tile_columns; ++i) {
            noc_async_read_page(row_start + first_column + i, input, l1_addr);
            l1_addr += tile_size;
        }
        // One barrier for the tiles of a block.
        noc_async_read_barrier();
        cb_push_back(cb_tiles, block_tiles);
    }
}
