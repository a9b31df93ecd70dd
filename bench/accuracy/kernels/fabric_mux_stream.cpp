// SPDX-License-Identifier: Apache-2.0
// Sends packets of one size through a channel of a mux to the next device; without payload bytes it
// sends additions only. The first worker terminates the mux when the other workers are done.
#include "fabric_args.hpp"

using namespace tessera::score;

void kernel_main() {
    using namespace tt::tt_fabric;
    const auto args = FabricMuxStreamArgs::read();
    const uint8_t mux_x = args.mux_x;
    const uint8_t mux_y = args.mux_y;
    const uint32_t done = get_semaphore(args.done);
    const FabricMuxChannel::Each channel;
    auto connection = build_connection_to_fabric_endpoint<8>(
        mux_x, mux_y, channel.channel(), channel.buffers(), channel.buffer_bytes(),
        channel.base_address(), 0, 0, 0, 0, 0, 0, 0);
    const uint32_t bytes = channel.payload_bytes();
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header = PacketHeaderPool::allocate_header();
    header->to_chip_unicast(1);
    if (bytes == 0) {
        header->to_noc_unicast_atomic_inc(
            NocUnicastAtomicIncCommandHeader{get_noc_addr(get_semaphore(args.counter)), 1, false});
    } else {
        header->to_noc_unicast_write(NocUnicastCommandHeader{get_noc_addr(args.source)}, bytes);
    }

    wait_for_fabric_endpoint_ready(mux_x, mux_y, 0, 0);
    fabric_client_connect(connection);
    for (uint32_t i = 0; i < args.packets; ++i) {
        if (bytes == 0) {
            fabric_atomic_inc(connection, header);
        } else {
            fabric_async_write(connection, header, args.source, bytes);
        }
    }
    fabric_client_disconnect(connection);
    if (my_x[0] == args.first_x && my_y[0] == args.first_y) {
        noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(done), args.num_others);
        fabric_endpoint_terminate(mux_x, mux_y, args.termination_address);
    } else {
        noc_semaphore_inc(get_noc_addr(args.first_x, args.first_y, done), 1);
        noc_async_atomic_barrier();
    }
}
