// SPDX-License-Identifier: Apache-2.0
// What an interface sends of its own accord: writes, words, atomics, multicasts and packets to the
// fabric's sender. Commands go out in order, packet by packet.
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
    const bool is_first = own.commands.first == kNobody;
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
    if (is_multicast(transfer.request) && transfer.waiting_on == kNobody && !own.keeps_path) {
        transfer.spend(ResourceKind::NocInjection, now);
        command_path(transfer);
        // Every router of the tree tells the sender that it is ready before data leaves.
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

void Transport::State::find_ends(const Transfer& transfer, Millicycles latency) {
    const Request& request = transfer.request;
    ends.clear();
    ends.add(resources.injection(request.device, request.noc, transfer.own), 0,
             paths.noc().write.of(transfer.packet));
    add_bank(transfer, latency, ends);
    ends.move_origin(transfer.origin);
}

void Transport::State::send(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.stage == TransferStage::Reserved && transfer.waiting_on == kNobody) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    if (transfer.request.kind == RequestKind::Write) {
        send_write(number, now, queue);
        return;
    }
    command_path(transfer);
    if (lines.try_start(number, path, transfer.packet, now, queue)) {
        sent(number, now, 0, queue);
    }
}

// A write that has the channels of its way takes its turn at its port and, with those who read
// there, at the bank. Links are passed in the order of arrival, and waiting there holds up the
// port.
void Transport::State::send_write(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    unicast_path(transfer);
    const Millicycles latency = path.latency;
    if (!channels.try_hold(number, path, now, queue)) {
        return;
    }
    find_ends(transfer, latency);
    if (!lines.try_start(number, ends, transfer.packet, now, queue)) {
        return;
    }
    const Millicycles delay = lines.pass_behind_first(number, path, transfer.packet, now);
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
    const PathStep& injection = path.step(0);
    const Millicycles injected = std::max(begin, begin + injection.offset + injection.duration);
    if (transfer.left > 0) {
        schedule(number, TransferStage::Inject, injected, queue);
        return;
    }
    remove_first(own.commands);
    if (own.commands.first != kNobody) {
        queue.push(injected, QueueEvent::TransferStage, own.commands.first);
    }
    schedule(number, TransferStage::Depart, injected, queue);
}

}  // namespace tessera::timing
