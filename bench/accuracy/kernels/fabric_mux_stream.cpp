// SPDX-License-Identifier: Apache-2.0
// Sends packets of one size through a channel of a mux to the next device; without payload bytes it
// sends additions only. The first worker terminates the mux when the other workers are done.
// Compile-time args: mux x, y; termination address; packets; source; x, y of the first worker;
// number of other workers; semaphore to increment on the next device; semaphore that counts
// finished workers. Runtime args: channel, buffers, bytes of a buffer, base address; bytes of a
// payload.

void kernel_main() {
    using namespace tt::tt_fabric;
    const uint8_t mux_x = get_compile_time_arg_val(0);
    const uint8_t mux_y = get_compile_time_arg_val(1);
    const uint32_t first_x = get_compile_time_arg_val(5);
    const uint32_t first_y = get_compile_time_arg_val(6);
    const uint32_t done = get_semaphore(get_compile_time_arg_val(9));
    const auto arg = [](int i) { return get_arg_val<uint32_t>(i); };
    auto connection = build_connection_to_fabric_endpoint<8>(mux_x, mux_y, arg(0), arg(1), arg(2),
                                                             arg(3), 0, 0, 0, 0, 0, 0, 0);
    const uint32_t source = get_compile_time_arg_val(4);
    const uint32_t bytes = arg(4);
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header = PacketHeaderPool::allocate_header();
    header->to_chip_unicast(1);
    if (bytes == 0) {
        header->to_noc_unicast_atomic_inc(NocUnicastAtomicIncCommandHeader{
            get_noc_addr(get_semaphore(get_compile_time_arg_val(8))), 1, false});
    } else {
        header->to_noc_unicast_write(NocUnicastCommandHeader{get_noc_addr(source)}, bytes);
    }

    wait_for_fabric_endpoint_ready(mux_x, mux_y, 0, 0);
    fabric_client_connect(connection);
    for (uint32_t i = 0; i < get_compile_time_arg_val(3); ++i) {
        if (bytes == 0) {
            fabric_atomic_inc(connection, header);
        } else {
            fabric_async_write(connection, header, source, bytes);
        }
    }
    fabric_client_disconnect(connection);
    if (my_x[0] == first_x && my_y[0] == first_y) {
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(done),
                           get_compile_time_arg_val(7));
        fabric_endpoint_terminate(mux_x, mux_y, get_compile_time_arg_val(2));
    } else {
        noc_semaphore_inc(get_noc_addr(first_x, first_y, done), 1);
        noc_async_atomic_barrier();
    }
}
