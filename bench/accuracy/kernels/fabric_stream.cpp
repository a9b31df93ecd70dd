// SPDX-License-Identifier: Apache-2.0
// Sends packets of one size along several routes in turn, one packet per route. After the last
// packet it increments a word on each receiving device.
// Runtime args:
// - number of links on which packets leave, and the connection to each;
// - number of routes;
// - for each route: the index of its first link, its kind, and its arguments. The arguments are
//   hops along a line or to the end of a range of devices; or a device of a mesh; or hops east,
//   west, north and south of a box.
//
// The measured kernels send headers only, so routers forward whatever their buffers hold. This
// kernel also sends a payload, but nothing waits for it.
#include "fabric_args.hpp"

using namespace tessera::score;

namespace {

constexpr uint32_t kArgsOfFlow = 2 + kMostRouteArgs;  // its link and its kind first
constexpr uint32_t kHeaderSlot = 128;

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

void set_message(volatile tt_l1_ptr PACKET_HEADER_TYPE* header, const FabricStreamArgs& args) {
    using namespace tt::tt_fabric;
    const auto message = static_cast<Message>(args.message);
    const uint32_t bytes = args.bytes;
    const uint64_t destination = get_noc_addr(args.destination);
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
    const uint64_t counter = get_noc_addr(get_semaphore(args.counter));
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

struct Flow {
    tt::tt_fabric::WorkerToFabricEdmSender* connection;
    volatile tt_l1_ptr PACKET_HEADER_TYPE* header;
};

void send(const Flow& flow, uint32_t source, uint32_t bytes) {
    flow.connection->wait_for_empty_write_slot();
    if (bytes > 0) {
        flow.connection->send_payload_without_header_non_blocking_from_address(source, bytes);
    }
    flow.connection->send_payload_non_blocking_from_address(reinterpret_cast<uint32_t>(flow.header),
                                                            sizeof(PACKET_HEADER_TYPE));
}

void open(tt::tt_fabric::WorkerToFabricEdmSender* connections, uint32_t num_links) {
    for (uint32_t link = 0; link < num_links; ++link) {
        connections[link].open_start();
    }
    for (uint32_t link = 0; link < num_links; ++link) {
        connections[link].open_finish();
    }
}

}  // namespace

void kernel_main() {
    using namespace tt::tt_fabric;
    const auto args = FabricStreamArgs::read();
    const uint32_t source = args.source;
    const uint32_t bytes = args.bytes;
    const auto message = static_cast<Message>(args.message);
    const uint64_t done = get_noc_addr(get_semaphore(args.done));
    std::size_t at = 0;
    const uint32_t num_links = get_arg_val<uint32_t>(at++);
    WorkerToFabricEdmSender connections[4];
    for (uint32_t link = 0; link < num_links; ++link) {
        connections[link] =
            WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(at);
    }
    const uint32_t num_flows = get_arg_val<uint32_t>(at++);
    Flow flows[kMostFlows];
    for (uint32_t i = 0; i < num_flows; ++i) {
        const uint32_t header = source + 2 * bytes + i * kHeaderSlot;  // up to 31: a pool has fewer
        flows[i] = {&connections[get_arg_val<uint32_t>(at)],
                    reinterpret_cast<volatile tt_l1_ptr PACKET_HEADER_TYPE*>(header)};
        set_route(flows[i].header, at + 1);
        set_message(flows[i].header, args);
        at += kArgsOfFlow;
    }

    open(connections, num_links);
    for (uint32_t packet = 0; packet < args.count; ++packet) {
        for (uint32_t i = 0; i < num_flows; ++i) {
            send(flows[i], source, has_payload(message) ? bytes : 0);
        }
    }
    noc_async_writes_flushed();
    for (uint32_t i = 0; i < num_flows; ++i) {
        flows[i].header->to_noc_unicast_atomic_inc(NocUnicastAtomicIncCommandHeader{done, 1});
        send(flows[i], source, 0);
    }
    for (uint32_t link = 0; link < num_links; ++link) {
        connections[link].close();
    }
}
