// SPDX-License-Identifier: Apache-2.0
// Multicasts to one rectangle, linked or not, one barrier at the end.

void kernel_main() {
    const uint32_t source = get_compile_time_arg_val(0);
    const uint32_t destination = get_compile_time_arg_val(1);
    const uint32_t count = get_compile_time_arg_val(2);
    const uint32_t bytes = get_compile_time_arg_val(3);
    const uint32_t num_receivers = get_compile_time_arg_val(4);
    const bool includes_sender = get_compile_time_arg_val(5) != 0;
    const bool is_linked = get_compile_time_arg_val(6) != 0;
    const uint64_t rectangle = get_noc_multicast_addr(
        get_compile_time_arg_val(7), get_compile_time_arg_val(8), get_compile_time_arg_val(9),
        get_compile_time_arg_val(10), destination);

    DeviceZoneScopedN("burst");
    for (uint32_t i = 0; i < count; ++i) {
        const bool keeps_path = is_linked && i + 1 < count;
        if (includes_sender) {
            noc_async_write_multicast_loopback_src(source, rectangle, bytes, num_receivers,
                                                   keeps_path);
        } else {
            noc_async_write_multicast(source, rectangle, bytes, num_receivers, keeps_path);
        }
    }
    noc_async_write_barrier();
}
