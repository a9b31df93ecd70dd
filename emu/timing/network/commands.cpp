// SPDX-License-Identifier: Apache-2.0
// Injection of commands that push data: writes, words, atomics, multicasts and packets to the
// fabric's sender. An NIU sends its commands in order, packet by packet.
#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

StageResult Transport::State::ready(Transfer& transfer, Millicycles now, EventQueue& queue) {
    transfer.spend(ResourceKind::NocLatency, now);
    NocInterface& own = interface_of(transfer);
    const bool is_first = own.commands.is_empty();
    own.commands.append(transfer, transfers);
    transfer.stage = TransferStage::Inject;
    return is_first ? inject(transfer, now, queue) : StageResult{};
}

StageResult Transport::State::inject(Transfer& transfer, Millicycles now, EventQueue& queue) {
    transfer.packet_bytes = std::min(transfer.unsent, max_packet);
    if (transfer.is_multicast() && transfer.waiting_on == kNoResource &&
        !interface_of(transfer).keeps_path) {
        transfer.spend(ResourceKind::NocInjection, now);
        // Every router of the tree tells the sender that it is ready before data leaves
        // (NOC_CMD_PATH_RESERVE; tt-isa-documentation, WormholeB0/NoC/README.md). A linked
        // multicast leaves the tree to the next one. Failed reservations, which the chip repeats
        // after a random time, are not modelled.
        const Millicycles setup = reserved_path(transfer).hops * paths.noc().multicast_setup;
        schedule(transfer, TransferStage::Reserved, now + paths.noc().interface + setup, queue);
        return {};
    }
    return send(transfer, now, queue);
}

// PacketSent reports the packet before. It is reported first, because the next one may have to
// wait.
StageResult Transport::State::inject_next(Transfer& transfer, Millicycles now, EventQueue& queue) {
    transfer.spend(ResourceKind::NocInjection, now);
    transfer.stage = TransferStage::Inject;
    const StageResult next = inject(transfer, now, queue);
    return next.milestone == Milestone::None ? StageResult{Milestone::PacketSent, false} : next;
}

const PacketPath& Transport::State::reserved_path(const Transfer& transfer) {
    path.clear();
    const Request& request = transfer.request;
    if (transfer.is_multicast()) {
        const NocInterface& own = interfaces[transfer.interface];
        const Millicycles stalled = request.includes_sender ? own.unanswered : 0;
        paths.multicast(transfer, transfer.packet_bytes, stalled, path);
        return path;
    }
    // The sender of a mesh link is an Ethernet core, for which an arch file has no place: the
    // packet pays for injection and both interfaces, and for no links.
    path.add(resources.injection(request.device, request.noc, transfer.own), 0,
             paths.noc().write.of(transfer.packet_bytes));
    path.latency = 2 * paths.noc().interface;
    return path;
}

StageResult Transport::State::send(Transfer& transfer, Millicycles now, EventQueue& queue) {
    if (transfer.stage == TransferStage::Reserved && transfer.waiting_on == kNoResource) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    if (transfer.is_multicast() || transfer.is_mesh_packet()) {
        reserve(transfer, now, queue);
        return {};
    }
    return send_unicast(transfer, now, queue);
}

void Transport::State::reserve(Transfer& transfer, Millicycles now, EventQueue& queue) {
    const PacketPath& reserved = reserved_path(transfer);
    interface_of(transfer).cause = ResourceKind::NocInjection;
    if (!queues.try_start(transfer, reserved, transfer.packet_bytes, now, queue)) {
        return;
    }
    transfer.spend(ResourceKind::NocInjection, now);
    transfer.set_slowest(resources.kind(reserved.slowest_resource()), reserved.slowest());
    transfer.arrival = now + reserved.latency + reserved.slowest();
    if (transfer.is_multicast()) {
        book_acknowledgements(transfer);
    }
    sent(transfer, now + reserved.front().duration, queue);
}

// Every receiver of a multicast acknowledges each packet with a packet of one flit. All of these
// leave through the sender's ejection port, one a cycle: 8 × 8 receivers take 66 cycles for each
// multicast, however small. If the sender receives its own data through that port, too, the tree
// stalls meanwhile: 16 KiB take 349 cycles instead of 263 (noc_latencies.yaml, linked multicasts).
void Transport::State::book_acknowledgements(Transfer& transfer) {
    const Request& request = transfer.request;
    const std::uint32_t columns = request.rect_end.x - request.rect_start.x + 1;
    const std::uint32_t rows = request.rect_end.y - request.rect_start.y + 1;
    const Millicycles all = static_cast<Millicycles>(columns * rows) * paths.noc().acknowledgement;
    NocInterface& own = interface_of(transfer);
    own.unanswered = own.keeps_path || request.is_linked ? all : 0;
    own.acknowledged =
        std::max(transfer.arrival + acknowledgement_time(transfer), own.acknowledged + all);
    transfer.as<Multicast>().acknowledged = own.acknowledged;
    const LinkId port = resources.ejection(request.device, request.noc, transfer.own);
    resources[resource_of(port)].occupy(all, 0);
}

void Transport::State::prepare_unicast(Transfer& transfer, Millicycles now) {
    auto& packet = transfer.as<Unicast>();
    const Request& request = transfer.request;
    transfer.spend(interface_of(transfer).cause, now);
    packet.length = router_buffer.length(transfer.packet_bytes);
    packet.route = paths.write({request.device, request.noc, transfer.own, transfer.far},
                               transfer.packet_bytes);
}

bool Transport::State::enter_bank(Transfer& transfer, VirtualChannels::Released released,
                                  Millicycles now, EventQueue& queue) {
    auto& packet = transfer.as<Unicast>();
    if (!packet.has_room && !banks.reserve_room(transfer)) {
        channels.hold_at_end(transfer, released, ResourceKind::Dram, now, queue);
        return false;
    }
    packet.has_room = false;
    const Millicycles through_port = paths.dram().write_port.of(transfer.packet_bytes);
    if (through_port > transfer.slowest) {
        transfer.set_slowest(ResourceKind::Dram, through_port);
    }
    return true;
}

StageResult Transport::State::send_unicast(Transfer& transfer, Millicycles now, EventQueue& queue) {
    auto& packet = transfer.as<Unicast>();
    const bool is_dram = transfer.request.place.is_dram();
    if (packet.head == 0 && !packet.is_queued) {
        prepare_unicast(transfer, now);
    }
    if (!packet.has_left) {
        interface_of(transfer).cause = packet.cause_or(ResourceKind::NocInjection);
    }
    VirtualChannels::Released released;
    // A packet that has room already was held at the end of its route until it got the room.
    if (!packet.has_room) {
        const VirtualChannels::Advance advance = channels.advance(transfer, {now, now}, queue);
        if (advance.is_blocked()) {
            return leave_source(transfer, now, queue);
        }
        released = advance.released;
    }
    set_slowest(transfer);
    if (is_dram && !enter_bank(transfer, released, now, queue)) {
        return leave_source(transfer, now, queue);
    }
    const Millicycles begin = std::max(now, packet.reach);
    transfer.arrival = begin + transfer.slowest;
    const Millicycles departs =
        channels.release(transfer, released, {begin, transfer.slowest}, now, queue);
    if (is_dram) {
        banks.start_write(transfer, begin, queue);
    }
    if (packet.has_left) {
        schedule_delivery(transfer, now, queue);
    } else {
        sent(transfer, std::max(now, departs), queue);
    }
    return {};
}

// A packet that is blocked on its way does not hold up its NIU once the buffers of routers contain
// all of it.
StageResult Transport::State::leave_source(Transfer& transfer, Millicycles now, EventQueue& queue) {
    auto& packet = transfer.as<Unicast>();
    const bool is_last = transfer.unsent == transfer.packet_bytes;
    if (packet.has_left || !is_last || !VirtualChannels::is_out_of_source(packet)) {
        return {};
    }
    packet.has_left = true;
    interface_of(transfer).keeps_path = false;
    transfer.spend(ResourceKind::NocInjection, now);
    start_next_command(transfer, std::max(now, packet.departs), queue);
    end_command(interface_of(transfer), now, queue);
    return {Milestone::Departed, false};
}

// An NIU serves one command at a time, whichever register it is in: a read that is issued while a
// block is multicast departs after the block.
// Source   tt-metal pull request 27341: a command buffer is a single entry deep, and the NoC can
//          only service one of them at a time.
void Transport::State::end_command(NocInterface& own, Millicycles now, EventQueue& queue) {
    --own.unsent;
    while (own.unsent == 0 && !own.held_reads.is_empty()) {
        Transfer& read = own.held_reads.remove_first(transfers);
        read.spend(own.cause, now);
        request(read, now, queue);
    }
}

void Transport::State::sent(Transfer& transfer, Millicycles departs, EventQueue& queue) {
    interface_of(transfer).keeps_path = transfer.is_multicast() && transfer.request.is_linked;
    transfer.unsent -= transfer.packet_bytes;
    // The next packet of the command, or the next command, starts when the port is free: packets of
    // one NIU follow each other without a gap, even while the head of the first is on its way.
    if (transfer.unsent > 0) {
        schedule(transfer, TransferStage::InjectNext, departs, queue);
        return;
    }
    start_next_command(transfer, departs, queue);
    schedule(transfer, TransferStage::Depart, departs, queue);
}

void Transport::State::start_next_command(const Transfer& last, Millicycles time,
                                          EventQueue& queue) {
    NocInterface& own = interface_of(last);
    own.commands.remove_first(transfers);
    if (!own.commands.is_empty()) {
        push_stage(queue, time, own.commands.first);
    }
}

}  // namespace tessera::timing
