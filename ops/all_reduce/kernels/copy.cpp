// SPDX-License-Identifier: Apache-2.0
// A mesh of one device: rows are copied as they are.
void kernel_main() {
    const uint32_t input_address = get_arg_val<uint32_t>(0);
    const uint32_t output_address = get_arg_val<uint32_t>(1);
    const uint32_t first_row = get_arg_val<uint32_t>(2);
    const uint32_t num_rows = get_arg_val<uint32_t>(3);
    const uint32_t row_bytes = get_arg_val<uint32_t>(4);
    const uint32_t piece_bytes = get_arg_val<uint32_t>(5);

    constexpr uint32_t kCbPiece = 0;
    constexpr auto input_args = TensorAccessorArgs<0>();
    constexpr auto output_args = TensorAccessorArgs<2>();
    const auto input = TensorAccessor(input_args, input_address);
    const auto output = TensorAccessor(output_args, output_address);
    const uint32_t l1_address = get_write_ptr(kCbPiece);

    for (uint32_t row = first_row; row < first_row + num_rows; ++row) {
        for (uint32_t offset = 0; offset < row_bytes; offset += piece_bytes) {
            const uint32_t left = row_bytes - offset;
            const uint32_t bytes = left < piece_bytes ? left : piece_bytes;
            noc_async_read(input.get_noc_addr(row, offset), l1_address, bytes);
            noc_async_read_barrier();
            noc_async_write(l1_address, output.get_noc_addr(row, offset), bytes);
            noc_async_writes_flushed();
        }
    }
    noc_async_write_barrier();
}
