// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/transport.hpp"

#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

Transport::State::State(const Machine& machine, DeviceRange range)
    : arch(machine.arch),
      devices(range),
      max_packet(static_cast<std::uint32_t>(machine.arch.noc.max_packet.value)),
      max_reads(machine.timing.noc.outstanding_reads),
      max_writes(machine.timing.noc.outstanding_writes),
      resources(machine.arch, range.count),
      paths(machine.arch, machine.timing, resources),
      queues(resources, transfers),
      router_buffer(machine.arch.noc, machine.timing.noc),
      channels(machine, router_buffer, resources, transfers),
      banks(machine, range.count, paths, queues, transfers),
      mesh_links(machine, range, resources, paths, queues, transfers),
      interfaces(std::size_t{range.count} * 2 * arch.noc.grid.columns * arch.noc.grid.rows) {
}

CoreCoord Transport::State::node_of(NocPlace place, std::uint32_t noc) const {
    // A bank has another node on each NoC; a worker has the same.
    if (place.is_dram()) {
        const DramEndpoint& endpoint = arch.dram.endpoints[place.bank()];
        return noc == 0 ? endpoint.physical : endpoint.physical1;
    }
    const CoreCoord core = place.core();
    return {arch.workers.noc_columns[core.x], arch.workers.noc_rows[core.y]};
}

std::uint32_t Transport::State::interface_number(std::uint32_t device, std::uint32_t noc,
                                                 CoreCoord node) const {
    const GridSize grid = arch.noc.grid;
    return ((device * 2U + noc) * grid.rows + node.y) * grid.columns + node.x;
}

namespace {

/// Allocates a transfer with the body of its request's kind.
Transfer& take_for(const Request& request, std::uint16_t device, TransferPool& transfers) {
    switch (request.kind) {
        case RequestKind::Read:
            return transfers.take<Read>();
        case RequestKind::Multicast:
        case RequestKind::MulticastWord:
            return transfers.take<Multicast>();
        case RequestKind::Fabric: {
            Transfer& packet = transfers.take<MeshPacket>();
            auto& mesh = packet.as<MeshPacket>();
            mesh.device = device;
            mesh.branches = request.east != 0 || request.west != 0 ? 1 : 0;
            return packet;
        }
        default:
            return transfers.take<Unicast>();
    }
}

}  // namespace

TransferId Transport::State::start(const Request& request, Millicycles now, EventQueue& queue) {
    // Counted from the part's first device, so that a part of one device has small tables.
    const auto device = static_cast<std::uint16_t>(request.device - devices.first);
    Transfer& transfer = take_for(request, device, transfers);
    transfer.request = request;
    transfer.request.device = device;
    transfer.own = node_of(NocPlace::worker(request.core), request.noc);
    transfer.interface = interface_number(device, request.noc, transfer.own);
    transfer.unsent = request.bytes;
    transfer.stamp = now;
    // A multicast has a rectangle in place of a far end, and a path of its own.
    transfer.far = transfer.is_multicast() ? transfer.own : node_of(request.place, request.noc);
    if (transfer.is_read()) {
        start_read(transfer, now, queue);
        return transfer.id;
    }
    NocInterface& own = interface_of(transfer);
    ++own.unsent;
    // The NIU counts commands that will be acknowledged. A posted write never is. A fabric packet
    // belongs to the sender, whose slots the engine counts.
    own.writes += request.is_posted || transfer.is_mesh_packet() ? 0 : 1;
    schedule(transfer, TransferStage::Ready, now + paths.noc().command, queue);
    return transfer.id;
}

StageResult Transport::State::advance(TransferId id, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[id];
    switch (transfer.stage) {
        case TransferStage::Ready:
            return ready(transfer, now, queue);
        case TransferStage::Inject:
            return inject(transfer, now, queue);
        case TransferStage::InjectNext:
            return inject_next(transfer, now, queue);
        case TransferStage::Reserved:
            return send(transfer, now, queue);
        case TransferStage::Request:
            advance_request(transfer, {now, now}, queue);
            break;
        case TransferStage::AtMemory:
            at_memory(transfer, now, queue);
            break;
        case TransferStage::Buffered:
            if (Transfer* const write = banks.begin_write(transfer, now, queue)) {
                schedule_delivery(*write, now, queue);
            }
            break;
        case TransferStage::Respond:
            respond(transfer, {now, now}, queue);
            break;
        case TransferStage::Depart:
            return depart(transfer, now, queue);
        case TransferStage::Deliver:
            return deliver(transfer, now, queue);
        case TransferStage::Acknowledge:
            return acknowledge(transfer, now);
        case TransferStage::LinkSend:
            mesh_links.send(transfer, now, queue);
            break;
        case TransferStage::LinkTaken:
            return mesh_links.take_from_sender(transfer, now, queue);
        case TransferStage::LinkReceive:
            mesh_links.receive(transfer, now, queue);
            break;
        case TransferStage::LinkPassed:
            return mesh_links.forward(transfer, now, queue);
        case TransferStage::PartsArrived:
            transfers.release(transfer);
            return {Milestone::Delivered, true};
    }
    return {};
}

// State is private to this library: tests of the engine link a transport of fixed times in its
// place.
Transport::Transport(const Machine& machine, DeviceRange devices)
    : state_(std::make_unique<State>(machine, devices)) {
}
Transport::~Transport() = default;

TransferId Transport::start(const Request& request, Millicycles now, EventQueue& queue) {
    return state_->start(request, now, queue);
}

const NocInterface& Transport::State::interface_of(const Niu& niu) const noexcept {
    const CoreCoord node = node_of(NocPlace::worker(niu.core), niu.noc);
    return interfaces[interface_number(niu.device - devices.first, niu.noc, node)];
}

bool Transport::takes_read(Niu niu, std::uint32_t packets) const noexcept {
    const NocInterface& own = state_->interface_of(niu);
    return own.held_reads.is_empty() &&
           (own.reads == 0 || own.reads + packets <= state_->max_reads);
}

bool Transport::takes_write(Niu niu) const noexcept {
    return state_->interface_of(niu).writes < state_->max_writes;
}

StageResult Transport::advance(TransferId transfer, Millicycles now, EventQueue& queue) {
    return state_->advance(transfer, now, queue);
}

const Transit& Transport::transit(TransferId transfer) const noexcept {
    return state_->transfers[transfer].transit;
}

std::vector<ResourceUse> Transport::uses() const {
    std::vector<ResourceUse> uses = state_->resources.uses();
    for (ResourceUse& use : uses) {  // counted from the mesh's first device again
        use.device = static_cast<std::uint16_t>(use.device + state_->devices.first);
    }
    return uses;
}

}  // namespace tessera::timing
