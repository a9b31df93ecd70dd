// SPDX-License-Identifier: Apache-2.0
// Sends packets of one size along a route, and counts up a word on each device that they are
// written on behind the last one. Runtime args: those of a connection to the link on which they
// leave, then the kind of route, then the route: hops along a line, or to the end of a range of
// devices on it; a device of a mesh; hops east, west, north and south of a box.

namespace {

enum class Message : uint32_t { Write, FlushedAdd, Add, TwoParts, FlushedAddAlone, AddAlone };
enum class Route : uint32_t { Line, Range, Mesh, Box };

bool has_payload(Message message) {
    return message != Message::FlushedAddAlone && message != Message::AddAlone;
}

void set_route(volatile tt_l1_ptr PACKET_HEADER_TYPE* header, std::size_t at) {
    using namespace tt::tt_fabric;
    using MeshHeader = volatile tt_l1_ptr HybridMeshPacketHeader;
    const auto route = static_cast<Route>(get_arg_val<uint32_t>(at));
    const auto arg = [at](std::size_t i) { return get_arg_val<uint32_t>(at + i); };
    if (route == Route::Line) {
        header->to_chip_unicast(arg(1));
    } else if (route == Route::Range) {
        const uint8_t range = arg(1);
        header->to_chip_multicast(MulticastRoutingCommandHeader{1, range});
    } else if (route == Route::Mesh) {
        fabric_set_unicast_route(static_cast<MeshHeader*>(header), arg(1), 0);
    } else {
        fabric_set_mcast_route(static_cast<MeshHeader*>(header), 0, 0, arg(1), arg(2), arg(3),
                               arg(4));
    }
}

void set_message(volatile tt_l1_ptr PACKET_HEADER_TYPE* header, Message message, uint32_t bytes) {
    using namespace tt::tt_fabric;
    const uint64_t destination = get_noc_addr(get_compile_time_arg_val(1));
    if (message == Message::Write) {
        header->to_noc_unicast_write(NocUnicastCommandHeader{destination}, bytes);
        return;
    }
    if (message == Message::TwoParts) {
        const uint16_t half = bytes / 2;
        header->to_noc_unicast_scatter_write(
            NocUnicastScatterCommandHeader({destination, destination + half}, {half}), bytes);
        return;
    }
    const uint64_t counter = get_noc_addr(get_semaphore(get_compile_time_arg_val(6)));
    if (!has_payload(message)) {
        header->to_noc_unicast_atomic_inc(
            NocUnicastAtomicIncCommandHeader{counter, 1, message == Message::FlushedAddAlone});
        return;
    }
    header->to_noc_fused_unicast_write_atomic_inc(
        NocUnicastAtomicIncFusedCommandHeader{destination, counter, 1,
                                              message == Message::FlushedAdd},
        bytes);
}

}  // namespace

void kernel_main() {
    using namespace tt::tt_fabric;
    const uint32_t source = get_compile_time_arg_val(0);
    const uint32_t bytes = get_compile_time_arg_val(2);
    const uint32_t count = get_compile_time_arg_val(3);
    const auto message = static_cast<Message>(get_compile_time_arg_val(4));
    const uint64_t done = get_noc_addr(get_semaphore(get_compile_time_arg_val(5)));
    std::size_t arg_index = 0;
    auto connection =
        WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_index);
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header = PacketHeaderPool::allocate_header();
    set_route(header, arg_index);

    connection.open();
    set_message(header, message, bytes);
    for (uint32_t i = 0; i < count; ++i) {
        connection.wait_for_empty_write_slot();
        if (has_payload(message)) {
            connection.send_payload_without_header_non_blocking_from_address(source, bytes);
        }
        connection.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                            sizeof(PACKET_HEADER_TYPE));
    }
    header->to_noc_unicast_atomic_inc(NocUnicastAtomicIncCommandHeader{done, 1});
    connection.wait_for_empty_write_slot();
    connection.send_payload_flush_blocking_from_address(reinterpret_cast<uint32_t>(header),
                                                        sizeof(PACKET_HEADER_TYPE));
    connection.close();
}
