// SPDX-License-Identifier: Apache-2.0
// Multicasts to one rectangle, linked or not, with one barrier at the end. Loop invariants are
// computed before the loops: the measured kernel knows them at compile time.

namespace {

struct Burst {
    uint32_t source = 0;
    uint64_t rectangle = 0;
    uint32_t bytes = 0;
    uint32_t num_receivers = 0;
};

void send_to_others(const Burst& burst, uint32_t count, bool is_linked) {
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_write_multicast(burst.source, burst.rectangle, burst.bytes, burst.num_receivers,
                                  is_linked);
    }
}

void send_to_all(const Burst& burst, uint32_t count, bool is_linked) {
    for (uint32_t i = 0; i < count; ++i) {
        noc_async_write_multicast_loopback_src(burst.source, burst.rectangle, burst.bytes,
                                               burst.num_receivers, is_linked);
    }
}

}  // namespace

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
    const Burst burst{source, rectangle, bytes, num_receivers};
    const uint32_t linked = is_linked ? count - 1 : 0;  // the last one releases the path

    DeviceZoneScopedN("burst");
    if (includes_sender) {
        send_to_all(burst, linked, true);
        send_to_all(burst, count - linked, false);
    } else {
        send_to_others(burst, linked, true);
        send_to_others(burst, count - linked, false);
    }
    noc_async_write_barrier();
}
