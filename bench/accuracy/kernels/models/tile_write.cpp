// SPDX-License-Identifier: Apache-2.0
// Writes pages of an interleaved buffer from a CB, one at a time. Pops a page when it is in memory
// (barrier) or when it has left the core (flush).
// Runtime args: address of the buffer, first page, number of pages.

void kernel_main() {
    const uint32_t cb = get_compile_time_arg_val(0);
    const uint32_t step = get_compile_time_arg_val(1);  // distance between pages
    const bool has_barriers = get_compile_time_arg_val(2) != 0;
    constexpr auto args = TensorAccessorArgs<3>();
    const auto pages = TensorAccessor(args, get_arg_val<uint32_t>(0));
    uint32_t page = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);

    for (uint32_t i = 0; i < count; ++i) {
        cb_wait_front(cb, 1);
        noc_async_write_page(page, pages, get_read_ptr(cb));
        if (has_barriers) {
            noc_async_write_barrier();
        } else {
            noc_async_writes_flushed();
        }
        cb_pop_front(cb, 1);
        page += step;
    }
    if (!has_barriers) {
        noc_async_write_barrier();
    }
}
