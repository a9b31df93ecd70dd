// SPDX-License-Identifier: Apache-2.0
// Packets from device to device: stored and forwarded by a router at each end of each link.
#include <optional>

#include "emu/timing/network/transport_state.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_links.hpp"

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

void Transport::State::link_send(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.waiting_on == kNobody) {
        transfer.spend(ResourceKind::MeshLatency, now);
    }
    const std::uint32_t sender = transfer.request.channel;
    const Millicycles on_wire = mesh_times.wire(transfer.request.bytes);
    path.clear();
    path.add(resources.mesh_link(transfer.device, sender), 0, on_wire);
    path.add(resources.mesh_router(transfer.device, sender), 0, mesh_times.send);
    if (!lines.try_start(number, path, transfer.request.bytes, now, queue)) {
        return;
    }
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
    if (transfer.waiting_on == kNobody) {
        transfer.spend(ResourceKind::MeshLatency, now);
        const std::optional<std::uint32_t> next = neighbour(
            mesh.shape, mesh.topology, transfer.device, {direction_of(request.channel), 1});
        ensure(next.has_value(), "packet of {} hops over channel {} of device {} leaves the mesh",
               request.hops, request.channel, request.device);
        transfer.device = static_cast<std::uint16_t>(*next);
        ++transfer.hops_done;
    }
    const bool is_there = transfer.hops_done == request.hops;
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
    if (!lines.try_start(number, path, request.bytes, now, queue)) {
        return;
    }
    transfer.slowest = path.slowest();
    transfer.slowest_kind = ResourceKind::MeshLink;
    schedule(number, is_there ? TransferStage::Deliver : TransferStage::LinkSend,
             now + path.slowest(), queue);
}

}  // namespace tessera::timing
