// SPDX-License-Identifier: Apache-2.0
// Writes pages of an interleaved buffer one after the other, one barrier at the end.
// Runtime args: address of the buffer, first page, number of pages.

void kernel_main() {
    const uint32_t source = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto pages = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);

    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_write_page(first + i, pages, source);
    }
    noc_async_write_barrier();
}
