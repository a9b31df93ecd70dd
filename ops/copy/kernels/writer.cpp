// SPDX-License-Identifier: Apache-2.0

void kernel_main() {
    const uint32_t output_addr = get_arg_val<uint32_t>(0);
    const uint32_t first_page = get_arg_val<uint32_t>(1);
    const uint32_t num_pages = get_arg_val<uint32_t>(2);
    const uint32_t page_size = get_compile_time_arg_val(0);
    constexpr auto output_args = TensorAccessorArgs<1>();
    constexpr uint32_t cb = tt::CBIndex::c_0;
    const auto output = TensorAccessor(output_args, output_addr, page_size);

    for (uint32_t page = first_page; page < first_page + num_pages; ++page) {
        cb_wait_front(cb, 1);
        noc_async_write_page(page, output, get_read_ptr(cb));
        // The page may be refilled when its data has left L1; arrival is awaited once, at the end.
        noc_async_writes_flushed();
        cb_pop_front(cb, 1);
    }
    noc_async_write_barrier();
}
