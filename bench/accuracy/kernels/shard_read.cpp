// SPDX-License-Identifier: Apache-2.0
// Reads a block of an interleaved tensor's pages into a shard, row by row, with a barrier after
// every `per_barrier` reads.
// Runtime args: address of the tensor, of the shard, first page.

void kernel_main() {
    const uint32_t rows = get_compile_time_arg_val(0);
    const uint32_t columns = get_compile_time_arg_val(1);
    const uint32_t tensor_columns = get_compile_time_arg_val(2);
    const uint32_t per_barrier = get_compile_time_arg_val(3);
    constexpr auto args = TensorAccessorArgs<4>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    uint32_t landing = get_arg_val<uint32_t>(1);
    const uint32_t first = get_arg_val<uint32_t>(2);

    uint32_t since_barrier = 0;
    for (uint32_t row = 0; row < rows; ++row) {
        for (uint32_t column = 0; column < columns; ++column) {
            noc_async_read_page(first + row * tensor_columns + column, tensor, landing);
            landing += tensor.get_aligned_page_size();
            if (++since_barrier == per_barrier) {
                noc_async_read_barrier();
                since_barrier = 0;
            }
        }
    }
    noc_async_read_barrier();
}
