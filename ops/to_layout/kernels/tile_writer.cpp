// SPDX-License-Identifier: Apache-2.0
// Writes the tiles of a block that the tensor has.

void kernel_main() {
    const uint32_t output_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_block = get_arg_val<uint32_t>(1);
    const uint32_t num_blocks = get_arg_val<uint32_t>(2);
    const uint32_t tile_columns = get_compile_time_arg_val(0);
    const uint32_t block_tiles = get_compile_time_arg_val(1);
    const uint32_t blocks_per_row = get_compile_time_arg_val(2);
    constexpr auto output_args = TensorAccessorArgs<3>();
    constexpr uint32_t cb_tiles = tt::CBIndex::c_16;
    const uint32_t tile_size = get_tile_size(cb_tiles);
    const auto output = TensorAccessor(output_args, output_addr, tile_size);

    for (uint32_t block = first_block; block < first_block + num_blocks; ++block) {
        const uint32_t first_column = block % blocks_per_row * block_tiles;
        const uint32_t row_start = block / blocks_per_row * tile_columns;

        cb_wait_front(cb_tiles, block_tiles);
        uint32_t l1_addr = get_read_ptr(cb_tiles);
        for (uint32_t i = 0; i < block_tiles && first_column + i < tile_columns; ++i) {
            noc_async_write_page(row_start + first_column + i, output, l1_addr);
            l1_addr += tile_size;
        }
        noc_async_writes_flushed();
        cb_pop_front(cb_tiles, block_tiles);
    }
    noc_async_write_barrier();
}
