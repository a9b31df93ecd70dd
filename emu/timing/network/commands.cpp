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

void Transport::State::ready(std::uint32_t number, Millicycles now, EventQueue& queue) {
    transfers[number].spend(ResourceKind::NocLatency, now);
    NocInterface& own = interface_of(transfers[number]);
    const bool is_first = own.commands.first == kNone;
    append(own.commands, number);
    transfers[number].stage = TransferStage::Inject;
    if (is_first) {
        inject(number, now, queue);
    }
}

void Transport::State::inject(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    transfer.packet = std::min(transfer.left, max_packet);
    NocInterface& own = interface_of(transfer);
    if (is_multicast(transfer.request) && transfer.waiting_on == kNone && !own.keeps_path) {
        transfer.spend(ResourceKind::NocInjection, now);
        command_path(transfer);
        // Every router of the tree tells the sender that it is ready before data leaves
        // (NOC_CMD_PATH_RESERVE; tt-isa-documentation, WormholeB0/NoC/README.md); a linked
        // multicast leaves the tree to the next. Failed reservations, which the chip repeats after
        // a random time, are not modelled.
        schedule(number, TransferStage::Reserved, now + path.hops * paths.noc().multicast_setup,
                 queue);
        return;
    }
    send(number, now, queue);
}

void Transport::State::command_path(const Transfer& transfer) {
    path.clear();
    const Request& request = transfer.request;
    if (is_multicast(request)) {
        paths.multicast(transfer, transfer.packet, path);
        return;
    }
    if (request.kind == RequestKind::Fabric) {
        // The sender is an Ethernet core, for which an arch file has no place: the packet pays for
        // injection and both interfaces, and for no links.
        path.add(resources.injection(request.device, request.noc, transfer.own), 0,
                 paths.noc().write.of(transfer.packet));
        path.latency = 2 * paths.noc().interface;
        return;
    }
    unicast_path(transfer);
    add_bank(transfer, path.latency, path);
}

void Transport::State::unicast_path(const Transfer& transfer) {
    const Request& request = transfer.request;
    path.clear();
    paths.unicast({request.device, request.noc, transfer.own, transfer.far}, transfer.packet,
                  paths.noc().write, path);
}

void Transport::State::add_bank(const Transfer& transfer, Millicycles latency,
                                PacketPath& to) const {
    const Request& request = transfer.request;
    if (request.place.is_dram()) {
        to.add(paths.bank(request.device, request.place.bank(), NocPaths::Access::Write,
                          transfer.packet),
               latency);
    }
}

// Offsets start at the head: a packet that was blocked has come some links far already.
void Transport::State::fill_port_and_bank(const Transfer& transfer, Millicycles latency) {
    const Request& request = transfer.request;
    port_and_bank.clear();
    port_and_bank.add(resources.injection(request.device, request.noc, transfer.own), 0,
                      paths.noc().write.of(transfer.packet));
    add_bank(transfer, latency, port_and_bank);
    port_and_bank.move_origin(transfer.origin);
}

void Transport::State::send(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.stage == TransferStage::Reserved && transfer.waiting_on == kNone) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    if (transfer.request.kind == RequestKind::Write) {
        send_write(number, now, queue);
        return;
    }
    command_path(transfer);
    if (queues.try_start(number, path, transfer.packet, now, queue)) {
        sent(number, now, 0, queue);
    }
}

// Three steps, since each is shared in another manner. Virtual channels: writes use a static one
// (tt-metal, NOC_UNICAST_WRITE_VC), so a blocked write holds what it has come through. Injection
// port and bank: first in, first out, at a bank with the reads. Links: in order of arrival.
// With the whole route taken at once writers starved among readers: a bank served four reads for
// each write. This order took Wormhole's gemm from 3.3 to 3.1 % mean error, exp from 3.9 to 3.1,
// Blackhole's noc_table from 4.1 to 3.3.
void Transport::State::send_write(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    unicast_path(transfer);
    const Millicycles latency = path.latency;
    if (!channels.try_acquire(number, path, now, queue)) {
        return;
    }
    fill_port_and_bank(transfer, latency);
    if (!queues.try_start(number, port_and_bank, transfer.packet, now, queue)) {
        return;
    }
    const Millicycles delay = queues.book_past_injection(number, path, transfer.packet, now);
    // The bank is part of the path again for what follows from its slowest step: a write cannot
    // leave its channels sooner than the bank takes it in (22.1 of 31.3 B/cycle on Wormhole).
    add_bank(transfer, latency, path);
    channels.release(number, path, now + delay, queue);
    sent(number, now, delay, queue);
}

void Transport::State::sent(std::uint32_t number, Millicycles now, Millicycles delay,
                            EventQueue& queue) {
    Transfer& transfer = transfers[number];
    NocInterface& own = interface_of(transfer);
    own.keeps_path = is_multicast(transfer.request) && transfer.request.is_linked;
    transfer.left -= transfer.packet;
    transfer.slowest = path.slowest();
    transfer.slowest_kind = resources.kind(path.slowest_resource());
    const Millicycles begin = now + delay;
    transfer.arrival = begin + path.latency + path.slowest();
    const Reservation& injection = path.step(0);
    const Millicycles injected = std::max(begin, begin + injection.offset + injection.duration);
    // The next packet of the command, or the next command, starts when the port is free: packets of
    // one NIU follow each other without a gap, also where the head still travels.
    if (transfer.left > 0) {
        schedule(number, TransferStage::Inject, injected, queue);
        return;
    }
    remove_first(own.commands);
    if (own.commands.first != kNone) {
        queue.push(injected, QueueEvent::TransferStage, own.commands.first);
    }
    schedule(number, TransferStage::Depart, injected, queue);
}

}  // namespace tessera::timing
