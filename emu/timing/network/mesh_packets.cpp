// SPDX-License-Identifier: Apache-2.0
// Moves packets from device to device: a router at each end of each link stores and forwards them.
//
// A router takes a slot for each packet beside the wire's time per byte. With s to send, r to
// receive one, packets of 16 B go one way every max(s, r), both ways every s + r where one
// processor does both. These two figures for plain writes give s and r on Wormhole; what they
// predict for fused writes holds to 1 % (555 ns measured and 554 predicted with senders on all of
// four devices, 607 and 603 with senders at the ends; fabric_edm_bandwidth_golden_6u.csv).
#include <algorithm>
#include <optional>
#include <utility>

#include "emu/timing/network/transport_state.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_route.hpp"

namespace tessera::timing {

namespace {

LinkDirection direction_of(std::uint32_t sender) {
    return static_cast<LinkDirection>(sender % 4);
}

/// What a router takes to write a packet to a core. Each further part of the payload and an
/// addition is a NoC command of its own; where the addition must not overtake the payload, the
/// router waits for the payload's acknowledgement first. An addition in a packet of its own finds
/// the payload before it under way since that packet was handled.
Millicycles writing(const Request& request, const MeshTimes& times, Millicycles transit) {
    if (request.flushes && !request.is_fused) {
        return std::max(times.deliver, times.flush);
    }
    return times.deliver + request.more_parts * times.part +
           (request.is_fused ? times.command : 0) + (request.flushes ? times.flush + transit : 0);
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
    if (transfer.next_slot == kNone && !take_slot(number)) {
        return;
    }
    const std::uint32_t sender = transfer.request.channel;
    const Millicycles on_wire = mesh_times.wire(transfer.request.bytes);
    const Millicycles send = mesh_times.send + (is_in_ring(transfer) ? mesh_times.ring : 0);
    // Wire and router are two resources: the wire is busy for the bytes, the router for the packet,
    // and the router's one processor handles what comes in over the link as well. A second one that
    // only sends is busy whenever the wire is, and has no resource of its own.
    path.clear();
    if (mesh_times.sends_beside) {
        path.add(resources.mesh_link(transfer.device, sender), 0, std::max(on_wire, send));
    } else {
        path.add(resources.mesh_router(transfer.device, sender), 0, send);
        path.add(resources.mesh_link(transfer.device, sender), send, on_wire);
    }
    const Millicycles until_sent = on_wire + (mesh_times.sends_beside ? 0 : send);
    if (!queues.try_start(number, path, transfer.request.bytes, now, queue)) {
        return;
    }
    free_slot(transfer, now, queue);
    transfer.slot = std::exchange(transfer.next_slot, kNone);
    // On the first hop the packet frees its slot in the sender's buffer, which a worker may wait
    // for.
    if (transfer.hops_done == 0 && transfer.parent == kNone) {
        schedule(number, TransferStage::LinkTaken, now + until_sent, queue);
    } else {
        schedule(number, TransferStage::LinkReceive, now + until_sent + mesh_times.hop_latency,
                 queue);
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
    const bool is_written =
        is_there || (request.is_multicast && transfer.hops_done >= request.multicast_from);
    // A packet is stored as a whole before the router writes it on over the NoC, to a core or to
    // the next link's router: 4 KiB take 558 ns a hop more than 16 B do, of which the wire is 335
    // (test_1d_fabric_latency.py).
    const Millicycles transit = paths.noc().ejection.of(request.bytes);
    const Millicycles handling = handling_of(transfer, is_there, is_written, transit);
    path.clear();
    path.add(resources.mesh_router(transfer.device, far_end(request.channel)), 0, handling);
    if (is_written) {
        path.add(resources.ejection(transfer.device, request.noc, transfer.far), 0, transit);
        if (request.place.is_dram()) {
            path.add(paths.bank(transfer.device, request.place.bank(), NocPaths::Access::Write,
                                request.bytes),
                     0);
        }
    }
    if (!queues.try_start(number, path, request.bytes, now, queue)) {
        return;
    }
    acknowledge(transfer, now + handling);
    transfer.slowest = path.slowest();
    transfer.slowest_kind = ResourceKind::MeshLink;
    if (!is_there && transfer.hops_done == request.hops) {
        turn(transfer);
    }
    const TransferStage next = is_there     ? TransferStage::Deliver
                               : is_written ? TransferStage::LinkPassed
                                            : TransferStage::LinkSend;
    const Millicycles latency = takes_mesh_routes(request) ? mesh_times.mesh_latency : 0;
    schedule(number, next, now + latency + std::max(path.slowest(), handling + transit), queue);
}

// Over the same link, between packets that go the other way. What it tells the sender is known to
// it at once here: a slot is free when its packet has left.
void Transport::State::acknowledge(const Transfer& packet, Millicycles handled) {
    const std::uint32_t wire = resources.mesh_link(packet.device, far_end(packet.request.channel));
    Calendar& calendar = resources[wire].calendar;
    calendar.book(calendar.earliest(handled, mesh_times.acknowledgement),
                  mesh_times.acknowledgement);
}

Millicycles Transport::State::handling_of(const Transfer& packet, bool is_there, bool is_written,
                                          Millicycles transit) const {
    const Request& request = packet.request;
    const Millicycles routing = (takes_mesh_routes(request) ? mesh_times.of_mesh : 0) +
                                (is_in_ring(packet) ? mesh_times.ring : 0);
    if (!is_written) {
        return routing + mesh_times.receive;
    }
    const Millicycles write = writing(request, mesh_times, transit);
    const std::uint32_t copies =
        (is_there ? 0U : 1U) + (request.east != 0 ? 1U : 0U) + (request.west != 0 ? 1U : 0U);
    // All writes of a copied packet are under way at once.
    return routing +
           (copies == 0 ? write : std::max(mesh_times.receive, write) + copies * mesh_times.copy);
}

// Headers of a mesh's routes on a single row: its fabric is that of one dimension.
bool Transport::State::takes_mesh_routes(const Request& request) const noexcept {
    return request.is_mesh_route && mesh.shape.rows > 1 && mesh.shape.columns > 1;
}

StageResult Transport::State::link_passed(std::uint32_t number, Millicycles now,
                                          EventQueue& queue) {
    transfers[number].spend(ResourceKind::MeshLink, now);
    branch(number, now, queue);
    schedule(number, TransferStage::LinkSend, now, queue);
    return passed(number);
}

StageResult Transport::State::passed(std::uint32_t number) const {
    const Transfer& packet = transfers[number];
    return {.milestone = Milestone::Passed,
            .is_last = false,
            .device = static_cast<std::uint16_t>(packet.device + devices.first),
            .started = packet.parent == kNone ? number : packet.parent};
}

// From each device of its column a box's packet goes on both ways along the row, as a packet of its
// own. It is in the buffers of all three links then, whether or not they had room: a full row does
// not stall the column as it does on the chip.
void Transport::State::branch(std::uint32_t number, Millicycles now, EventQueue& queue) {
    const Request column = transfers[number].request;
    for (const LinkRoute row : {LinkRoute{LinkDirection::East, column.east},
                                LinkRoute{LinkDirection::West, column.west}}) {
        if (row.hops == 0) {
            continue;
        }
        const std::uint32_t added = transfers.take();
        Transfer& packet = transfers[added];
        packet = transfers[number];
        const auto end = neighbour(mesh.shape, mesh.topology, packet.device, row);
        require(end.has_value(), "trace: a packet branches {} hops to the {} of device {}",
                row.hops, name_of(row.direction), packet.device);
        packet.request.channel = static_cast<std::uint8_t>(
            column.channel / 4 * 4 + static_cast<std::uint32_t>(row.direction));
        packet.request.hops = static_cast<std::uint8_t>(row.hops);
        packet.request.far_device = static_cast<std::uint16_t>(*end);
        packet.request.is_multicast = true;
        packet.request.multicast_from = 1;
        packet.request.east = 0;
        packet.request.west = 0;
        packet.parent = number;
        packet.hops_done = 0;
        packet.slot = kNone;
        ++transfers[number].parts;
        schedule(added, TransferStage::LinkSend, now, queue);
    }
}

StageResult Transport::State::end_packet(std::uint32_t number, Millicycles now, EventQueue& queue) {
    branch(number, now, queue);
    const bool is_branch = transfers[number].parent != kNone;
    const StageResult result = is_branch ? passed(number) : StageResult{Milestone::Delivered, true};
    const std::uint32_t started = is_branch ? result.started : number;
    if (is_branch) {
        transfers.release(number);
    }
    // Its branches go by the number of the packet that was started.
    if (transfers[started].parts == 0 || --transfers[started].parts == 0) {
        transfers.release(started);
    }
    return result;
}

}  // namespace tessera::timing
