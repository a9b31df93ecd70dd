// SPDX-License-Identifier: Apache-2.0
// Issues reads or writes with a barrier after each. Each transfer is a zone of its own.

void kernel_main() {
    const bool is_read = get_compile_time_arg_val(0) != 0;
    const uint32_t source = get_compile_time_arg_val(1);
    const uint32_t destination = get_compile_time_arg_val(2);
    const uint32_t count = get_compile_time_arg_val(3);
    const uint32_t bytes = get_compile_time_arg_val(4);
    const uint32_t x = get_compile_time_arg_val(5);
    const uint32_t y = get_compile_time_arg_val(6);

    for (uint32_t i = 0; i < count; ++i) {
        DeviceZoneScopedN("transfer");
        if (is_read) {
            noc_async_read(get_noc_addr(x, y, source), destination, bytes);
            noc_async_read_barrier();
        } else {
            noc_async_write(source, get_noc_addr(x, y, destination), bytes);
            noc_async_write_barrier();
        }
    }
}
