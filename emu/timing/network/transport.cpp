// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/transport.hpp"

#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

Transport::State::State(const Machine& machine, DeviceRange range)
    : arch(machine.arch),
      devices(range),
      mesh(machine.mesh),
      max_packet(static_cast<std::uint32_t>(machine.arch.noc.max_packet.value)),
      max_reads(machine.timing.noc.outstanding_reads),
      max_writes(machine.timing.noc.outstanding_writes),
      resources(machine.arch, range.count),
      paths(machine.arch, machine.timing, resources),
      mesh_times(machine.timing.link, machine.timing.clock),
      queues(resources, transfers),
      router_buffer(machine.arch.noc, machine.timing.noc),
      channels(machine, router_buffer, resources, transfers),
      interfaces(std::size_t{range.count} * 2 * arch.noc.grid.columns * arch.noc.grid.rows),
      link_buffers(std::size_t{range.count} * kLinkDirections.size() * kLinksPerDirection,
                   LinkBuffer{.free = machine.timing.link.receiver_slots}),
      write_buffer(static_cast<std::uint32_t>(machine.timing.dram.write_buffer.value)),
      write_buffers(std::size_t{range.count} * arch.dram.num_banks),
      last_accesses(std::size_t{range.count} * arch.dram.num_banks, NocPaths::Access::Read) {
}

CoreCoord Transport::State::node_of(NocPlace place, std::uint32_t noc) const {
    // A bank answers at another node on each NoC; workers at one.
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

std::uint32_t Transport::State::start(const Request& request, Millicycles now, EventQueue& queue) {
    const std::uint32_t number = transfers.take();
    Transfer& transfer = transfers[number];
    transfer.request = request;
    // Counted from the part's first device, so that a part of one device has small tables.
    transfer.request.device = static_cast<std::uint16_t>(request.device - devices.first);
    transfer.own = node_of(NocPlace::worker(request.core), request.noc);
    transfer.interface = interface_number(transfer.request.device, request.noc, transfer.own);
    transfer.left = request.bytes;
    transfer.stamp = now;
    transfer.device = transfer.request.device;
    // A packet that branches counts as a part of itself: its number is given out again when it and
    // the last branch have ended.
    transfer.parts = request.east != 0 || request.west != 0 ? 1 : 0;
    // A multicast has a rectangle in place of a far end, and a path of its own.
    const bool has_place =
        request.kind != RequestKind::Multicast && request.kind != RequestKind::MulticastWord;
    transfer.far = has_place ? node_of(request.place, request.noc) : transfer.own;
    if (request.kind == RequestKind::Read) {
        start_read(number, now, queue);
        return number;
    }
    NocInterface& own = interface_of(transfer);
    ++own.unsent;
    // The NIU counts what is to be acknowledged. A posted write never is; a fabric packet is the
    // sender's, whose slots the engine counts.
    own.writes += request.is_posted || request.kind == RequestKind::Fabric ? 0 : 1;
    schedule(number, TransferStage::Ready, now + paths.noc().command, queue);
    return number;
}

StageResult Transport::State::advance(std::uint32_t number, Millicycles now, EventQueue& queue) {
    switch (transfers[number].stage) {
        case TransferStage::Ready:
            return ready(number, now, queue);
        case TransferStage::Inject:
            return inject(number, now, queue);
        case TransferStage::InjectNext:
            return inject_next(number, now, queue);
        case TransferStage::Reserved:
            return send(number, now, queue);
        case TransferStage::Request:
            ask(number, {now, now}, queue);
            break;
        case TransferStage::AtMemory:
            at_memory(number, now, queue);
            break;
        case TransferStage::Buffered:
            buffered(number, now, queue);
            break;
        case TransferStage::Respond:
            respond(number, {now, now}, queue);
            break;
        case TransferStage::Depart:
            return depart(number, now, queue);
        case TransferStage::Deliver:
            return deliver(number, now, queue);
        case TransferStage::Acknowledge:
            return acknowledge(number, now);
        case TransferStage::LinkSend:
            link_send(number, now, queue);
            break;
        case TransferStage::LinkTaken:
            return link_taken(number, now, queue);
        case TransferStage::LinkReceive:
            link_receive(number, now, queue);
            break;
        case TransferStage::LinkPassed:
            return link_passed(number, now, queue);
        case TransferStage::PartsArrived:
            transfers.release(number);
            return {Milestone::Delivered, true};
    }
    return {};
}

// Behind a pointer: the engine's tests are linked with a transport of fixed times in its place.
Transport::Transport(const Machine& machine, DeviceRange devices)
    : state_(std::make_unique<State>(machine, devices)) {
}
Transport::~Transport() = default;

std::uint32_t Transport::start(const Request& request, Millicycles now, EventQueue& queue) {
    return state_->start(request, now, queue);
}

const NocInterface& Transport::State::interface_of(const Niu& niu) const noexcept {
    const CoreCoord node = node_of(NocPlace::worker(niu.core), niu.noc);
    return interfaces[interface_number(niu.device - devices.first, niu.noc, node)];
}

bool Transport::takes_read(Niu niu, std::uint32_t packets) const noexcept {
    const NocInterface& own = state_->interface_of(niu);
    return own.held_reads.first == kNone &&
           (own.reads == 0 || own.reads + packets <= state_->max_reads);
}

bool Transport::takes_write(Niu niu) const noexcept {
    return state_->interface_of(niu).writes < state_->max_writes;
}

StageResult Transport::advance(std::uint32_t transfer, Millicycles now, EventQueue& queue) {
    return state_->advance(transfer, now, queue);
}

const Transit& Transport::transit(std::uint32_t transfer) const noexcept {
    return state_->transfers[transfer].transit;
}

std::vector<ResourceUse> Transport::uses() const {
    std::vector<ResourceUse> uses = state_->resources.uses();
    for (ResourceUse& use : uses) {  // back to the mesh's numbers
        use.device = static_cast<std::uint16_t>(use.device + state_->devices.first);
    }
    return uses;
}

}  // namespace tessera::timing
