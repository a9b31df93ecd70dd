// SPDX-License-Identifier: Apache-2.0
// Replays reads: a request of one flit to the far end, then packets back. A port accepts so many
// requests before it answers one; those that it does not accept wait in the routers.
#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

void Transport::State::start_read(std::uint32_t number, Millicycles now, EventQueue& queue) {
    const std::uint32_t bytes = transfers[number].request.bytes;
    // Most reads are one packet (a page) and their own part. A larger one is a transfer per packet:
    // each has a request of its own, and they come back in any order.
    if (bytes <= max_packet) {
        request(number, now, queue);
        return;
    }
    transfers[number].parts = (bytes + max_packet - 1) / max_packet;
    for (std::uint32_t begin = 0; begin < bytes; begin += max_packet) {
        const std::uint32_t part = transfers.take();
        transfers[part] = transfers[number];
        transfers[part].left = std::min(max_packet, bytes - begin);
        transfers[part].parent = number;
        request(part, now, queue);
    }
}

void Transport::State::request(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    NocInterface& own = interface_of(transfer);
    if (own.unsent > 0) {
        append(own.held_reads, number);
        return;
    }
    if (own.reads == max_reads) {
        append(own.stalled_reads, number);
        return;
    }
    ++own.reads;
    transfer.packet = transfer.left;
    transfer.packet_class = PacketClass::Request;
    transfer.length = router_buffer.flit();
    const Request& request = transfer.request;
    transfer.route = paths.request({request.device, request.noc, transfer.own, transfer.far});
    transfer.stage = TransferStage::Request;
    ask(number, {now, now + paths.noc().command}, queue);
}

void Transport::State::ask(std::uint32_t number, VirtualChannels::Start start, EventQueue& queue) {
    const Millicycles end = channels.advance(number, start, queue);
    if (end == VirtualChannels::kStopped) {
        return;
    }
    (void)channels.release(number, {end, 0}, start.now, queue);
    Transfer& transfer = transfers[number];
    transfer.packet_class = PacketClass::Answer;
    if (transfer.request.place.is_dram()) {
        schedule(number, TransferStage::AtMemory, end, queue);
    } else {
        schedule(number, TransferStage::Respond, end + paths.noc().l1_read, queue);
    }
}

void Transport::State::at_memory(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.waiting_on == kNone) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    const auto duration = start_at_bank(number, NocPaths::Access::Read, transfer.left, now, queue);
    if (!duration) {
        return;
    }
    // The bank has begun with this request: its slot at the port is free, not when the data leaves.
    channels.answered(transfer.port, ResourceKind::Dram, now, queue);
    // A bank is slower than a link (22.2 against 31.3 B/cycle): the packet leaves when the rest of
    // it can follow without a gap.
    const Millicycles head_start =
        std::max<Millicycles>(0, *duration - paths.noc().link.of(transfer.left));
    const Millicycles leaves = now + paths.dram().read_latency + head_start;
    transfer.spend(ResourceKind::Dram, leaves);
    transfer.is_answered = true;
    transfer.stage = TransferStage::Respond;
    // Sent off now, for the moment at which it will leave: that saves an event a read.
    respond(number, {now, leaves}, queue);
}

void Transport::State::respond(std::uint32_t number, VirtualChannels::Start start,
                               EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.head == 0 && !transfer.is_queued) {
        transfer.spend(ResourceKind::NocLatency, start.begin);
        const Request& request = transfer.request;
        transfer.length = router_buffer.length(transfer.packet);
        transfer.route = paths.answer({request.device, request.noc, transfer.far, transfer.own},
                                      transfer.packet, request.place);
    }
    const ResourceKind cause = transfer.cause_or(ResourceKind::NocInjection);
    const Millicycles end = channels.advance(number, start, queue);
    if (!transfer.is_answered && (end != VirtualChannels::kStopped || transfer.head > 0)) {
        transfer.is_answered = true;
        channels.answered(transfer.port, cause, start.now, queue);
    }
    if (end == VirtualChannels::kStopped) {
        return;
    }
    note_slowest(transfer);
    (void)channels.release(number, {end, transfer.slowest}, start.now, queue);
    schedule(number, TransferStage::Deliver, end + transfer.slowest + paths.noc().completion,
             queue);
}

StageResult Transport::State::part_arrived(std::uint32_t number, Millicycles now,
                                           EventQueue& queue) {
    const std::uint32_t whole = transfers[number].parent;
    // The last packet decides when the read is done: its transit is that of the read.
    if (--transfers[whole].parts == 0) {
        transfers[whole].transit = transfers[number].transit;
        schedule(whole, TransferStage::PartsArrived, now, queue);
    }
    transfers.release(number);
    return {};
}

}  // namespace tessera::timing
