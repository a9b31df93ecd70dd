// SPDX-License-Identifier: Apache-2.0
// Sends `count` packets through a channel of a mux to the next device: a payload with an increment,
// or an increment alone if there are no bytes. The first worker terminates the mux at the end.
// Runtime args: mux x, y; channel, buffers, bytes of a buffer, base address; status and termination
// address; source, destination, bytes, count; semaphore to increment there, semaphore of finished
// workers, number of workers except the first, and x, y of the first.

void kernel_main() {
    using namespace tt::tt_fabric;
    const auto arg = [](int i) { return get_arg_val<uint32_t>(i); };
    const uint8_t mux_x = arg(0);
    const uint8_t mux_y = arg(1);
    const uint32_t bytes = arg(10);
    const uint32_t done = get_semaphore(arg(13));
    const bool is_first = my_x[0] == arg(15) && my_y[0] == arg(16);
    auto connection = build_connection_to_fabric_endpoint<8>(mux_x, mux_y, arg(2), arg(3), arg(4),
                                                             arg(5), 0, 0, 0, 0, 0, 0, 0);
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header = PacketHeaderPool::allocate_header();
    header->to_chip_unicast(1);
    const uint64_t counter = get_noc_addr(get_semaphore(arg(12)));

    wait_for_fabric_endpoint_ready(mux_x, mux_y, arg(6), 0);
    fabric_client_connect(connection);
    for (uint32_t i = 0; i < arg(11); ++i) {
        if (bytes == 0) {
            header->to_noc_unicast_atomic_inc(NocUnicastAtomicIncCommandHeader{counter, 1});
            fabric_atomic_inc(connection, header);
        } else {
            header->to_noc_fused_unicast_write_atomic_inc(
                NocUnicastAtomicIncFusedCommandHeader{get_noc_addr(arg(9)) + i * bytes, counter, 1},
                bytes);
            fabric_async_write(connection, header, arg(8) + i * bytes, bytes);
        }
        noc_async_writes_flushed();
    }
    fabric_client_disconnect(connection);
    if (is_first) {
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(done), arg(14));
        fabric_endpoint_terminate(mux_x, mux_y, arg(7));
    } else {
        noc_semaphore_inc(get_noc_addr(arg(15), arg(16), done), 1);
        noc_async_atomic_barrier();
    }
}
