// SPDX-License-Identifier: Apache-2.0
// Stages of a packet between devices.
//
// A router takes a slot of time for each packet, beside the wire's time per byte. With s to send
// and r to receive one, packets of 16 B pass every max(s, r) in one direction. In both directions
// they pass every s + r, if one processor does both. These two figures, measured for plain writes,
// give s and r on Wormhole. Their predictions for fused writes agree to 1 % (555 ns measured and
// 554 predicted with senders on all of four devices, 607 and 603 with senders at the ends;
// fabric_edm_bandwidth_golden_6u.csv).
#include <algorithm>
#include <optional>
#include <utility>

#include "emu/timing/network/mesh_links.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/mesh_route.hpp"

namespace tessera::timing {

namespace {

LinkDirection direction_of(std::uint32_t sender) {
    return static_cast<LinkDirection>(sender % 4);
}

/// Returns the time that a router needs to write a packet to a core. Each further part of the
/// payload and an addition is a NoC command of its own. An addition must not overtake the payload,
/// so the router waits for the payload's acknowledgement first. If the addition has a packet of its
/// own, part of that wait has passed since the router handled the payload.
Millicycles write_time(const Request& request, const LinkCost& cost, Millicycles transit) {
    if (request.flushes && !request.is_fused) {
        return std::max(cost.deliver_slot, cost.flush_slot);
    }
    return cost.deliver_slot + request.more_parts * cost.part_slot +
           (request.is_fused ? cost.command_slot : 0) +
           (request.flushes ? cost.flush_slot + transit : 0);
}

/// Returns the sender of the same link at its far end: east and west, north and south are
/// neighbouring numbers.
std::uint32_t far_end(std::uint32_t sender) {
    return sender ^ 1U;
}

}  // namespace

MeshLinks::MeshLinks(const Machine& machine, DeviceRange devices, ResourceTable& resources,
                     const NocPaths& paths, ResourceQueues& queues, TransferPool& transfers)
    : first_device_(devices.first),
      mesh_(machine.mesh),
      cost_(machine.timing),
      resources_(resources),
      paths_(paths),
      queues_(queues),
      transfers_(transfers),
      buffers_(std::size_t{devices.count} * ResourceTable::kSendersPerDevice,
               Buffer{.free = machine.timing.link.receiver_slots}) {
}

void MeshLinks::turn(Transfer& packet) const {
    Request& request = packet.request;
    const std::uint32_t device = packet.as<MeshPacket>().device;
    const std::uint32_t columns = mesh_.shape.columns;
    require(device / columns == request.far_device / columns ||
                device % columns == request.far_device % columns,
            "trace: a packet of {} hops over channel {} ends on device {}, from where no row or "
            "column leads to device {}",
            request.hops, request.channel, device, request.far_device);
    const LinkRoute rest = axis_route(mesh_.shape, mesh_.topology, device, request.far_device);
    request.channel = static_cast<std::uint8_t>(request.channel / 4 * 4 +
                                                static_cast<std::uint32_t>(rest.direction));
}

void MeshLinks::send(Transfer& packet, Millicycles now, EventQueue& queue) {
    auto& mesh = packet.as<MeshPacket>();
    if (packet.waiting_on == kNoResource) {
        packet.spend(ResourceKind::MeshLatency, now);
    }
    if (mesh.next_slot == MeshPacket::kNoSlot && !reserve_slot(packet)) {
        return;
    }
    const std::uint32_t sender = packet.request.channel;
    const Millicycles on_wire = cost_.wire(packet.request.bytes);
    const Millicycles send = cost_.packet_slot + (is_in_ring(packet) ? cost_.ring_slot : 0);
    // Wire and router are two resources: the wire is busy for the bytes, the router for the packet.
    // The router's one processor handles what arrives over the link as well. A second processor
    // that only sends is busy whenever the wire is, so it needs no resource of its own.
    path_.clear();
    if (cost_.sends_beside()) {
        path_.add(resources_.mesh_link(mesh.device, sender), 0, std::max(on_wire, send));
    } else {
        path_.add(resources_.mesh_router(mesh.device, sender), 0, send);
        path_.add(resources_.mesh_link(mesh.device, sender), send, on_wire);
    }
    const Millicycles until_sent = on_wire + (cost_.sends_beside() ? 0 : send);
    if (!queues_.try_start(packet, path_, packet.request.bytes, now, queue)) {
        return;
    }
    free_slot(packet, now, queue);
    mesh.slot = std::exchange(mesh.next_slot, MeshPacket::kNoSlot);
    // The first hop frees the packet's slot in the sender's buffer, for which a worker may wait.
    if (mesh.hops_done == 0 && mesh.trunk == kNoTransfer) {
        schedule(packet, TransferStage::LinkTaken, now + until_sent, queue);
    } else {
        schedule(packet, TransferStage::LinkReceive, now + until_sent + cost_.hop_latency, queue);
    }
}

StageResult MeshLinks::take_from_sender(Transfer& packet, Millicycles now, EventQueue& queue) {
    packet.spend(ResourceKind::MeshLink, now);
    schedule(packet, TransferStage::LinkReceive, now + cost_.hop_latency, queue);
    return {Milestone::SlotFreed, false};
}

void MeshLinks::arrive(Transfer& packet) const {
    const Request& request = packet.request;
    auto& mesh = packet.as<MeshPacket>();
    const std::optional<std::uint32_t> next =
        neighbour(mesh_.shape, mesh_.topology, mesh.device, {direction_of(request.channel), 1});
    ensure(next.has_value(), "packet of {} hops over channel {} of device {} leaves the mesh",
           request.hops, request.channel, request.device);
    mesh.device = static_cast<std::uint16_t>(*next);
    ++mesh.hops_done;
}

const PacketPath& MeshLinks::router_path(const Transfer& packet, bool is_written,
                                         Millicycles handling, Millicycles transit) {
    const Request& request = packet.request;
    const std::uint32_t device = packet.as<MeshPacket>().device;
    path_.clear();
    path_.add(resources_.mesh_router(device, far_end(request.channel)), 0, handling);
    if (is_written) {
        path_.add(resources_.ejection(device, request.noc, packet.far), 0, transit);
        if (request.place.is_dram()) {
            path_.add(
                paths_.bank(device, request.place.bank(), NocPaths::Access::Write, request.bytes),
                0);
        }
    }
    return path_;
}

void MeshLinks::receive(Transfer& packet, Millicycles now, EventQueue& queue) {
    const auto& mesh = packet.as<MeshPacket>();
    const Request& request = packet.request;
    if (packet.waiting_on == kNoResource) {
        packet.spend(ResourceKind::MeshLatency, now);
        arrive(packet);
    }
    // The trace has the hops of the first leg; after them the packet turns towards its device.
    const bool is_last = mesh.hops_done >= request.hops && mesh.device == request.far_device;
    const bool is_written =
        is_last || (request.is_multicast && mesh.hops_done >= request.multicast_from);
    // The router stores a packet as a whole before it writes the packet over the NoC, to a core or
    // to the next link's router. 4 KiB take 558 ns a hop more than 16 B do, of which the wire is 335
    // (test_1d_fabric_latency.py).
    const Millicycles transit = paths_.noc().ejection.of(request.bytes);
    const Millicycles handling = handling_time(packet, {is_last, is_written}, transit);
    const PacketPath& path = router_path(packet, is_written, handling, transit);
    if (!queues_.try_start(packet, path, request.bytes, now, queue)) {
        return;
    }
    acknowledge(packet, now + handling);
    packet.set_slowest(ResourceKind::MeshLink, path.slowest());
    if (!is_last && mesh.hops_done == request.hops) {
        turn(packet);
    }
    const TransferStage next = is_last      ? TransferStage::Deliver
                               : is_written ? TransferStage::LinkPassed
                                            : TransferStage::LinkSend;
    const Millicycles latency = takes_mesh_routes(request) ? cost_.mesh_latency : 0;
    schedule(packet, next, now + latency + std::max(path.slowest(), handling + transit), queue);
}

// The acknowledgement takes time of the same link, between packets in the opposite direction. The
// sender knows its content at once in this model: a slot is free when its packet has left.
void MeshLinks::acknowledge(const Transfer& packet, Millicycles handled) {
    const ResourceId wire =
        resources_.mesh_link(packet.as<MeshPacket>().device, far_end(packet.request.channel));
    Calendar& calendar = resources_[wire].calendar;
    calendar.book(calendar.earliest(handled, cost_.acknowledgement), cost_.acknowledgement);
}

Millicycles MeshLinks::handling_time(const Transfer& packet, Arrival arrival,
                                     Millicycles transit) const {
    const Request& request = packet.request;
    const Millicycles routing = (takes_mesh_routes(request) ? cost_.mesh_slot : 0) +
                                (is_in_ring(packet) ? cost_.ring_slot : 0);
    if (!arrival.is_written) {
        return routing + cost_.receive_slot;
    }
    const Millicycles write = write_time(request, cost_, transit);
    const std::uint32_t copies =
        (arrival.is_last ? 0U : 1U) + (request.east != 0 ? 1U : 0U) + (request.west != 0 ? 1U : 0U);
    // All writes of a copied packet are under way at once.
    return routing +
           (copies == 0 ? write : std::max(cost_.receive_slot, write) + copies * cost_.copy_slot);
}

// On a single row the fabric is one-dimensional, whatever the packet's header says.
bool MeshLinks::takes_mesh_routes(const Request& request) const noexcept {
    return request.is_mesh_route && mesh_.shape.rows > 1 && mesh_.shape.columns > 1;
}

StageResult MeshLinks::forward(Transfer& packet, Millicycles now, EventQueue& queue) {
    packet.spend(ResourceKind::MeshLink, now);
    branch(packet, now, queue);
    schedule(packet, TransferStage::LinkSend, now, queue);
    return passed(packet);
}

StageResult MeshLinks::passed(const Transfer& packet) const {
    const auto& mesh = packet.as<MeshPacket>();
    return {.milestone = Milestone::Passed,
            .is_last = false,
            .device = static_cast<std::uint16_t>(mesh.device + first_device_),
            .started = mesh.trunk == kNoTransfer ? packet.id : mesh.trunk};
}

// From each device of its column a box's packet continues in both directions along the row, as a
// packet of its own. It then occupies buffers of all three links, whether or not they had room: a
// full row does not stall the column as it does on the chip.
void MeshLinks::branch(Transfer& column, Millicycles now, EventQueue& queue) {
    const Request& request = column.request;
    const std::uint32_t device = column.as<MeshPacket>().device;
    for (const LinkRoute row : {LinkRoute{LinkDirection::East, request.east},
                                LinkRoute{LinkDirection::West, request.west}}) {
        if (row.hops == 0) {
            continue;
        }
        const auto end = neighbour(mesh_.shape, mesh_.topology, device, row);
        require(end.has_value(), "trace: a packet branches {} hops to the {} of device {}",
                row.hops, name_of(row.direction), device);
        Transfer& packet = transfers_.copy(column);
        packet.request.channel = static_cast<std::uint8_t>(
            request.channel / 4 * 4 + static_cast<std::uint32_t>(row.direction));
        packet.request.hops = static_cast<std::uint8_t>(row.hops);
        packet.request.far_device = static_cast<std::uint16_t>(*end);
        packet.request.is_multicast = true;
        packet.request.multicast_from = 1;
        packet.request.east = 0;
        packet.request.west = 0;
        auto& mesh = packet.as<MeshPacket>();
        mesh.trunk = column.id;
        mesh.hops_done = 0;
        mesh.slot = MeshPacket::kNoSlot;
        ++column.as<MeshPacket>().branches;
        schedule(packet, TransferStage::LinkSend, now, queue);
    }
}

StageResult MeshLinks::finish(Transfer& packet, Millicycles now, EventQueue& queue) {
    branch(packet, now, queue);
    const auto& mesh = packet.as<MeshPacket>();
    const bool is_branch = mesh.trunk != kNoTransfer;
    const StageResult result = is_branch ? passed(packet) : StageResult{Milestone::Delivered, true};
    Transfer& started = is_branch ? transfers_[mesh.trunk] : packet;
    if (is_branch) {
        transfers_.release(packet);
    }
    std::uint32_t& branches = started.as<MeshPacket>().branches;
    if (branches == 0 || --branches == 0) {
        transfers_.release(started);
    }
    return result;
}

}  // namespace tessera::timing
