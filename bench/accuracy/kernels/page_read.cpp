// SPDX-License-Identifier: Apache-2.0
// Reads pages of an interleaved buffer one after the other, one barrier at the end.
// Runtime args: address of the buffer, first page, number of pages.

void kernel_main() {
    const uint32_t landing = get_compile_time_arg_val(0);
    const uint32_t per_barrier = get_compile_time_arg_val(1);  // 0: one barrier at the end
    constexpr auto args = TensorAccessorArgs<2>();
    const auto pages = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);

    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_read_page(first + i, pages, landing);
        if (per_barrier != 0 && (i + 1) % per_barrier == 0) {
            noc_async_read_barrier();
        }
    }
    noc_async_read_barrier();
}
