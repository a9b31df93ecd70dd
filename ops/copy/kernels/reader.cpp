// SPDX-License-Identifier: Apache-2.0

void kernel_main() {
    const uint32_t input_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_page = get_arg_val<uint32_t>(1);
    const uint32_t num_pages = get_arg_val<uint32_t>(2);
    const uint32_t page_size = get_compile_time_arg_val(0);
    constexpr auto input_args = TensorAccessorArgs<1>();
    constexpr uint32_t cb = tt::CBIndex::c_0;
    const auto input = TensorAccessor(input_args, input_addr, page_size);

    for (uint32_t page = first_page; page < first_page + num_pages; ++page) {
        cb_reserve_back(cb, 1);
        noc_async_read_page(page, input, get_write_ptr(cb));
        // A page at a time: two pages in the buffer overlap the read with the write before.
        noc_async_read_barrier();
        cb_push_back(cb, 1);
    }
}
