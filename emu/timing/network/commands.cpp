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
    paths.unicast({request.device, request.noc, transfer.own, transfer.far}, transfer.packet,
                  paths.noc().write, path);
    if (request.place.is_dram()) {
        paths.bank(request.device, request.place.bank(), NocPaths::Access::Write, transfer.packet,
                   path.latency, path);
    }
}

void Transport::State::send(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.stage == TransferStage::Reserved && transfer.waiting_on == kNobody) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    command_path(transfer);
    const bool holds_channels = transfer.request.kind == RequestKind::Write;
    if (holds_channels && !channels.try_hold(number, path, now, queue)) {
        return;
    }
    if (!lines.try_start(number, path, transfer.packet, now, queue)) {
        return;
    }
    if (holds_channels) {
        channels.release(number, path, now, queue);
    }
    sent(number, now, queue);
}

void Transport::State::sent(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    NocInterface& own = interface_of(transfer);
    own.keeps_path = is_multicast(transfer.request) && transfer.request.is_linked;
    transfer.left -= transfer.packet;
    transfer.slowest = path.slowest();
    transfer.slowest_kind = resources.kind(path.slowest_resource());
    transfer.arrival = now + path.latency + path.slowest();
    const PathStep& injection = path.step(0);
    const Millicycles injected = std::max(now, now + injection.offset + injection.duration);
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
