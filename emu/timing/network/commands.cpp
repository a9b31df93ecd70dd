// SPDX-License-Identifier: Apache-2.0
// Injects what an NIU sends of its own accord: writes, words, atomics, multicasts and packets to
// the fabric's sender. Commands go out in order, packet by packet.
#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

namespace {

bool is_multicast(const Request& request) {
    return request.kind == RequestKind::Multicast || request.kind == RequestKind::MulticastWord;
}

}  // namespace

StageResult Transport::State::ready(std::uint32_t number, Millicycles now, EventQueue& queue) {
    transfers[number].spend(ResourceKind::NocLatency, now);
    NocInterface& own = interface_of(transfers[number]);
    const bool is_first = own.commands.first == kNone;
    append(own.commands, number);
    transfers[number].stage = TransferStage::Inject;
    return is_first ? inject(number, now, queue) : StageResult{};
}

StageResult Transport::State::inject(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    transfer.packet = std::min(transfer.left, max_packet);
    NocInterface& own = interface_of(transfer);
    if (is_multicast(transfer.request) && transfer.waiting_on == kNone && !own.keeps_path) {
        transfer.spend(ResourceKind::NocInjection, now);
        reserved_path(transfer);
        // Every router of the tree tells the sender that it is ready before data leaves
        // (NOC_CMD_PATH_RESERVE; tt-isa-documentation, WormholeB0/NoC/README.md); a linked
        // multicast leaves the tree to the next. Failed reservations, which the chip repeats after
        // a random time, are not modelled.
        schedule(number, TransferStage::Reserved,
                 now + paths.noc().interface + path.hops * paths.noc().multicast_setup, queue);
        return {};
    }
    return send(number, now, queue);
}

// The packet before is accounted for here: the next one may have to wait.
StageResult Transport::State::inject_next(std::uint32_t number, Millicycles now,
                                          EventQueue& queue) {
    transfers[number].spend(ResourceKind::NocInjection, now);
    transfers[number].stage = TransferStage::Inject;
    const StageResult next = inject(number, now, queue);
    return next.milestone == Milestone::None ? StageResult{Milestone::PacketSent, false} : next;
}

void Transport::State::reserved_path(const Transfer& transfer) {
    path.clear();
    const Request& request = transfer.request;
    if (is_multicast(request)) {
        const NocInterface& own = interfaces[transfer.interface];
        const Millicycles stalled = request.includes_sender ? own.unanswered : 0;
        paths.multicast(transfer, transfer.packet, stalled, path);
        return;
    }
    // The sender of a mesh link is an Ethernet core, for which an arch file has no place: the
    // packet pays for injection and both interfaces, and for no links.
    path.add(resources.injection(request.device, request.noc, transfer.own), 0,
             paths.noc().write.of(transfer.packet));
    path.latency = 2 * paths.noc().interface;
}

StageResult Transport::State::send(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.stage == TransferStage::Reserved && transfer.waiting_on == kNone) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    if (is_multicast(transfer.request) || transfer.request.kind == RequestKind::Fabric) {
        reserve(number, now, queue);
        return {};
    }
    return send_unicast(number, now, queue);
}

void Transport::State::reserve(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    reserved_path(transfer);
    interface_of(transfer).cause = ResourceKind::NocInjection;
    if (!queues.try_start(number, path, transfer.packet, now, queue)) {
        return;
    }
    transfer.spend(ResourceKind::NocInjection, now);
    note_slowest(transfer, resources.kind(path.slowest_resource()), path.slowest());
    transfer.arrival = now + path.latency + path.slowest();
    if (is_multicast(transfer.request)) {
        count_acknowledgements(transfer);
    }
    sent(number, now + path.front().duration, queue);
}

// Every receiver of a multicast acknowledges each packet by one of a flit, and all of these come
// out of the sender's port, one a cycle: 8 × 8 receivers take 66 cycles a multicast, however small.
// Where the sender receives its own data through that port, too, the tree stands still meanwhile:
// 16 KiB take 349 cycles in place of 263 (noc_latencies.yaml, linked multicasts).
void Transport::State::count_acknowledgements(Transfer& transfer) {
    const Request& request = transfer.request;
    const std::uint32_t columns = request.rect_end.x - request.rect_start.x + 1;
    const std::uint32_t rows = request.rect_end.y - request.rect_start.y + 1;
    const Millicycles all = static_cast<Millicycles>(columns * rows) * paths.noc().acknowledgement;
    NocInterface& own = interface_of(transfer);
    own.unanswered = own.keeps_path || request.is_linked ? all : 0;
    own.acknowledged =
        std::max(transfer.arrival + acknowledgement(transfer), own.acknowledged + all);
    transfer.acknowledged = own.acknowledged;
    resources.occupy(resources.ejection(request.device, request.noc, transfer.own), all, 0);
}

StageResult Transport::State::send_unicast(std::uint32_t number, Millicycles now,
                                           EventQueue& queue) {
    Transfer& transfer = transfers[number];
    const Request& request = transfer.request;
    NocInterface& own = interface_of(transfer);
    if (transfer.head == 0 && !transfer.is_queued) {
        transfer.spend(own.cause, now);
        transfer.length = router_buffer.length(transfer.packet);
        transfer.route =
            paths.write({request.device, request.noc, transfer.own, transfer.far}, transfer.packet);
    }
    if (!transfer.has_left) {
        own.cause = transfer.cause_or(ResourceKind::NocInjection);
    }
    if (!transfer.has_room &&
        channels.advance(number, {now, now}, queue) == VirtualChannels::kStopped) {
        return leave_source(number, now, queue);
    }
    note_slowest(transfer);
    const Millicycles begin = std::max(now, transfer.reach);
    if (request.place.is_dram()) {
        if (!transfer.has_room && !take_room(number)) {
            channels.hold_at_end(number, ResourceKind::Dram, now, queue);
            return leave_source(number, now, queue);
        }
        transfer.has_room = false;
        const Millicycles through_port = paths.dram().write_port.of(transfer.packet);
        if (through_port > transfer.slowest) {
            note_slowest(transfer, ResourceKind::Dram, through_port);
        }
    }
    transfer.arrival = begin + transfer.slowest;
    const Millicycles departs = channels.release(number, {begin, transfer.slowest}, now, queue);
    const bool has_left = transfer.has_left;
    if (request.place.is_dram()) {
        write_to_bank(number, begin, queue);  // which may move the transfer
    }
    if (has_left) {
        schedule_delivery(number, now, queue);
    } else {
        sent(number, std::max(now, departs), queue);
    }
    return {};
}

// A packet that waits on its way, whole in the buffers of routers, does not hold up its NIU.
StageResult Transport::State::leave_source(std::uint32_t number, Millicycles now,
                                           EventQueue& queue) {
    Transfer& transfer = transfers[number];
    const bool is_last = transfer.left == transfer.packet;
    if (transfer.has_left || !is_last || !channels.is_out_of_source(transfer)) {
        return {};
    }
    transfer.has_left = true;
    interface_of(transfer).keeps_path = false;
    transfer.spend(ResourceKind::NocInjection, now);
    start_next_command(transfer, std::max(now, transfer.departs), queue);
    end_command(interface_of(transfer), now, queue);
    return {Milestone::Departed, false};
}

// An NIU serves one command at a time, whichever register it is in: a read that is issued while a
// block is multicast departs after the block.
// Source   tt-metal pull request 27341: a command buffer is a single entry deep, and the NoC can
//          only service one of them at a time.
void Transport::State::end_command(NocInterface& own, Millicycles now, EventQueue& queue) {
    --own.unsent;
    while (own.unsent == 0 && own.held_reads.first != kNone) {
        const std::uint32_t read = remove_first(own.held_reads);
        transfers[read].spend(own.cause, now);
        request(read, now, queue);
    }
}

void Transport::State::sent(std::uint32_t number, Millicycles departs, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    NocInterface& own = interface_of(transfer);
    own.keeps_path = is_multicast(transfer.request) && transfer.request.is_linked;
    transfer.left -= transfer.packet;
    // The next packet of the command, or the next command, starts when the port is free: packets of
    // one NIU follow each other without a gap, also where the head still travels.
    if (transfer.left > 0) {
        schedule(number, TransferStage::InjectNext, departs, queue);
        return;
    }
    start_next_command(transfer, departs, queue);
    schedule(number, TransferStage::Depart, departs, queue);
}

void Transport::State::start_next_command(const Transfer& last, Millicycles time,
                                          EventQueue& queue) {
    NocInterface& own = interface_of(last);
    remove_first(own.commands);
    if (own.commands.first != kNone) {
        queue.push(time, QueueEvent::TransferStage, own.commands.first);
    }
}

}  // namespace tessera::timing
