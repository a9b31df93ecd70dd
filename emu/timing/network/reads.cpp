// SPDX-License-Identifier: Apache-2.0
// Stages of reads: a request of one flit to the far end, then packets back. A port accepts a
// limited number of requests before it answers one; further requests wait in the routers.
#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

void Transport::State::start_read(Transfer& transfer, Millicycles now, EventQueue& queue) {
    const std::uint32_t bytes = transfer.request.bytes;
    // Most reads are one packet (a page) and their own part. A larger one is split into a transfer
    // per packet: each has a request of its own, and the answers arrive in any order.
    if (bytes <= max_packet) {
        request(transfer, now, queue);
        return;
    }
    transfer.as<Read>().parts = (bytes + max_packet - 1) / max_packet;
    for (std::uint32_t begin = 0; begin < bytes; begin += max_packet) {
        Transfer& part = transfers.copy(transfer);
        part.unsent = std::min(max_packet, bytes - begin);
        part.as<Read>().whole = transfer.id;
        request(part, now, queue);
    }
}

void Transport::State::request(Transfer& transfer, Millicycles now, EventQueue& queue) {
    NocInterface& own = interface_of(transfer);
    if (own.unsent > 0) {
        own.held_reads.append(transfer, transfers);
        return;
    }
    if (own.reads == max_reads) {
        own.stalled_reads.append(transfer, transfers);
        return;
    }
    ++own.reads;
    auto& packet = transfer.as<Read>();
    transfer.packet_bytes = transfer.unsent;
    packet.packet_class = PacketClass::Request;
    packet.length = router_buffer.flit();
    const Request& request = transfer.request;
    packet.route = paths.request({request.device, request.noc, transfer.own, transfer.far});
    transfer.stage = TransferStage::Request;
    advance_request(transfer, {now, now + paths.noc().command}, queue);
}

void Transport::State::advance_request(Transfer& transfer, VirtualChannels::Start start,
                                       EventQueue& queue) {
    const auto [end, released] = channels.advance(transfer, start, queue);
    if (end == VirtualChannels::kBlocked) {
        return;
    }
    (void)channels.release(transfer, released, {end, 0}, start.now, queue);
    transfer.as<Read>().packet_class = PacketClass::Answer;
    if (transfer.request.place.is_dram()) {
        schedule(transfer, TransferStage::AtMemory, end, queue);
    } else {
        schedule(transfer, TransferStage::Respond, end + paths.noc().l1_read, queue);
    }
}

void Transport::State::at_memory(Transfer& transfer, Millicycles now, EventQueue& queue) {
    if (transfer.waiting_on == kNoResource) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    const auto duration =
        banks.start_access(transfer, NocPaths::Access::Read, transfer.unsent, now, queue);
    if (!duration) {
        return;
    }
    auto& packet = transfer.as<Read>();
    // The request's slot at the port is free when the bank begins, not when the data leaves.
    channels.return_request_slot(packet.port, ResourceKind::Dram, now, queue);
    // A bank is slower than a link (22.2 against 31.3 B/cycle): the packet leaves when the rest of
    // it can follow without a gap.
    const Millicycles head_start =
        std::max<Millicycles>(0, *duration - paths.noc().link.of(transfer.unsent));
    const Millicycles leaves = now + paths.dram().read_latency + head_start;
    transfer.spend(ResourceKind::Dram, leaves);
    packet.is_answered = true;
    transfer.stage = TransferStage::Respond;
    // Sent now, for the time at which it will leave: that saves an event a read.
    respond(transfer, {now, leaves}, queue);
}

void Transport::State::respond(Transfer& transfer, VirtualChannels::Start start,
                               EventQueue& queue) {
    auto& packet = transfer.as<Read>();
    if (packet.head == 0 && !packet.is_queued) {
        transfer.spend(ResourceKind::NocLatency, start.begin);
        const Request& request = transfer.request;
        packet.length = router_buffer.length(transfer.packet_bytes);
        packet.route = paths.answer({request.device, request.noc, transfer.far, transfer.own},
                                    transfer.packet_bytes, request.place);
    }
    const ResourceKind cause = packet.cause_or(ResourceKind::NocInjection);
    const auto [end, released] = channels.advance(transfer, start, queue);
    const bool is_blocked = end == VirtualChannels::kBlocked;
    // L1 answers a request when the answer enters the NoC.
    if (!packet.is_answered && (!is_blocked || packet.head > 0)) {
        packet.is_answered = true;
        channels.return_request_slot(packet.port, cause, start.now, queue);
    }
    if (is_blocked) {
        return;
    }
    set_slowest(transfer);
    (void)channels.release(transfer, released, {end, transfer.slowest}, start.now, queue);
    schedule(transfer, TransferStage::Deliver, end + transfer.slowest + paths.noc().completion,
             queue);
}

StageResult Transport::State::part_arrived(Transfer& transfer, Millicycles now, EventQueue& queue) {
    Transfer& whole = transfers[transfer.as<Read>().whole];
    // The last packet decides when the read is done: its transit is that of the read.
    if (--whole.as<Read>().parts == 0) {
        whole.transit = transfer.transit;
        schedule(whole, TransferStage::PartsArrived, now, queue);
    }
    transfers.release(transfer);
    return {};
}

}  // namespace tessera::timing
