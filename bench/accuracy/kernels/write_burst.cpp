// SPDX-License-Identifier: Apache-2.0
// Writes to each destination in turn, with one barrier at the end.
// Runtime args: NoC coordinates of each destination, x << 16 | y.

namespace {

// Commands with latched coordinates move at most one packet each.
void write_with_state(uint32_t source, uint64_t destination, uint32_t bytes, uint32_t count,
                      uint32_t packet) {
    const uint32_t piece = bytes < packet ? bytes : packet;
    noc_async_write_one_packet_set_state(destination, piece);
    if (bytes <= packet) {  // one loop, as in the measured kernel
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_write_one_packet_with_state(source, static_cast<uint32_t>(destination));
        }
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t offset = 0; offset < bytes; offset += piece) {
            noc_async_write_one_packet_with_state(source + offset,
                                                  static_cast<uint32_t>(destination) + offset);
        }
    }
}

}  // namespace

void kernel_main() {
    const uint32_t source = get_compile_time_arg_val(0);
    const uint32_t destination = get_compile_time_arg_val(1);
    const uint32_t count = get_compile_time_arg_val(2);
    const uint32_t bytes = get_compile_time_arg_val(3);
    const uint32_t packet_with_state = get_compile_time_arg_val(4);  // 0: whole commands
    const uint32_t num_destinations = get_compile_time_arg_val(5);

    DeviceZoneScopedN("burst");
    for (uint32_t d = 0; d < num_destinations; ++d) {
        const uint32_t coordinates = get_arg_val<uint32_t>(d);
        const uint64_t address = get_noc_addr(coordinates >> 16, coordinates & 0xFFFF, destination);
        if (packet_with_state != 0) {
            write_with_state(source, address, bytes, count, packet_with_state);
            continue;
        }
        for (uint32_t i = 0; i < count; ++i) {
            noc_async_write(source, address, bytes);
        }
    }
    noc_async_write_barrier();
}
