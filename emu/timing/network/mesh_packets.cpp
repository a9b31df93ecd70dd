// SPDX-License-Identifier: Apache-2.0
// Moves packets from device to device: a router at each end of each link stores and forwards them.
// Packets of 16 B pass at 0.28 GB/s (57 ns each, test_all_ethernet_links_bandwidth.py), so routers
// take a slot per packet beside the wire's time per byte.
#include <optional>

#include "emu/timing/network/transport_state.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_route.hpp"

namespace tessera::timing {

namespace {

LinkDirection direction_of(std::uint32_t sender) {
    return static_cast<LinkDirection>(sender % 4);
}

/// The same link as its far end names it: east and west, north and south are neighbours.
std::uint32_t far_end(std::uint32_t sender) {
    return sender ^ 1U;
}

}  // namespace

void Transport::State::turn(Transfer& packet) const {
    const Request& request = packet.request;
    const std::uint32_t columns = mesh.shape.columns;
    require(packet.device / columns == request.far_device / columns ||
                packet.device % columns == request.far_device % columns,
            "trace: a packet of {} hops over channel {} ends on device {}, from where no row or "
            "column leads to device {}",
            request.hops, request.channel, packet.device, request.far_device);
    const LinkRoute rest = axis_route(mesh.shape, mesh.topology, packet.device, request.far_device);
    packet.request.channel = static_cast<std::uint8_t>(request.channel / 4 * 4 +
                                                       static_cast<std::uint32_t>(rest.direction));
}

void Transport::State::link_send(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.waiting_on == kNone) {
        transfer.spend(ResourceKind::MeshLatency, now);
    }
    const std::uint32_t sender = transfer.request.channel;
    const Millicycles on_wire = mesh_times.wire(transfer.request.bytes);
    // Wire and router are two resources: the wire is busy for the bytes, the router for the packet,
    // and the router handles what comes in over the link as well (both ways at once: 80 ns a
    // packet).
    path.clear();
    path.add(resources.mesh_link(transfer.device, sender), 0, on_wire);
    path.add(resources.mesh_router(transfer.device, sender), 0, mesh_times.send);
    if (!queues.try_start(number, path, transfer.request.bytes, now, queue)) {
        return;
    }
    // On the first hop the packet frees its slot in the sender's buffer, which a worker may wait
    // for.
    if (transfer.hops_done == 0) {
        schedule(number, TransferStage::LinkTaken, now + on_wire, queue);
    } else {
        schedule(number, TransferStage::LinkReceive, now + on_wire + mesh_times.hop_latency, queue);
    }
}

StageResult Transport::State::link_taken(std::uint32_t number, Millicycles now, EventQueue& queue) {
    transfers[number].spend(ResourceKind::MeshLink, now);
    schedule(number, TransferStage::LinkReceive, now + mesh_times.hop_latency, queue);
    return {Milestone::SlotFreed, false};
}

void Transport::State::link_receive(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    const Request& request = transfer.request;
    if (transfer.waiting_on == kNone) {
        transfer.spend(ResourceKind::MeshLatency, now);
        const std::optional<std::uint32_t> next = neighbour(
            mesh.shape, mesh.topology, transfer.device, {direction_of(request.channel), 1});
        ensure(next.has_value(), "packet of {} hops over channel {} of device {} leaves the mesh",
               request.hops, request.channel, request.device);
        transfer.device = static_cast<std::uint16_t>(*next);
        ++transfer.hops_done;
    }
    // The trace has the hops of the first leg; behind them the packet turns towards its device.
    const bool is_there =
        transfer.hops_done >= request.hops && transfer.device == request.far_device;
    // The last router writes to a worker over its NoC, which takes longer than sending on: 0.21 in
    // place of 0.28 GB/s at 16 B (test_all_ethernet_links_bandwidth.py).
    const Millicycles handling = is_there ? mesh_times.deliver : mesh_times.receive;
    path.clear();
    path.add(resources.mesh_router(transfer.device, far_end(request.channel)), 0, handling);
    if (is_there) {
        path.add(resources.ejection(transfer.device, request.noc, transfer.far), 0,
                 paths.noc().ejection.of(request.bytes));
        if (request.place.is_dram()) {
            path.add(paths.bank(transfer.device, request.place.bank(), NocPaths::Access::Write,
                                request.bytes),
                     0);
        }
    }
    if (!queues.try_start(number, path, request.bytes, now, queue)) {
        return;
    }
    transfer.slowest = path.slowest();
    transfer.slowest_kind = ResourceKind::MeshLink;
    if (!is_there && transfer.hops_done == request.hops) {
        turn(transfer);
    }
    schedule(number, is_there ? TransferStage::Deliver : TransferStage::LinkSend,
             now + path.slowest(), queue);
}

}  // namespace tessera::timing
