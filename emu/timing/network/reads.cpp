// SPDX-License-Identifier: Apache-2.0
// Replays reads: a request of one flit to the far end (ReadRequests), then packets back. A port
// answers one request after the other; packets back are booked on links as they come.
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
    if (own.reads == max_reads) {
        append(own.stalled_reads, number);
        return;
    }
    ++own.reads;
    read_requests.launch(number);
    schedule_accepted(now, paths.noc().command + paths.noc().interface, queue);
}

void Transport::State::schedule_accepted(Millicycles now, Millicycles lead, EventQueue& queue) {
    for (const std::uint32_t number : read_requests.accepted()) {
        Transfer& transfer = transfers[number];
        const bool is_dram = transfer.request.place.is_dram();
        // One that was blocked waited for those that the far end answered first. Counted as latency
        // it had moe_v2 bound by NoC latency (76 %), where its readers queue at DRAM banks.
        transfer.spend(is_dram ? ResourceKind::Dram : ResourceKind::NocInjection, now);
        const Millicycles arrives =
            now + lead + transfer.request_hops * paths.noc().hop + paths.noc().interface;
        if (is_dram) {
            schedule(number, TransferStage::AtMemory, arrives, queue);
        } else {
            schedule(number, TransferStage::Respond, arrives + paths.noc().l1_read, queue);
        }
    }
    read_requests.accepted().clear();
}

void Transport::State::at_memory(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.waiting_on == kNone) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    const BankPath memory = paths.bank(transfer.request.device, transfer.request.place.bank(),
                                       NocPaths::Access::Read, transfer.left);
    if (!queues.try_start(number, memory, transfer.left, now, queue)) {
        return;
    }
    // The bank has begun with this request: its slot at the port is free, not when the data leaves.
    read_requests.answered(transfer);
    schedule_accepted(now, 0, queue);
    // A bank is slower than a link (22.2 against 31.3 B/cycle): the packet leaves when the rest of
    // it can follow without a gap.
    const Millicycles head_start =
        std::max<Millicycles>(0, memory.slowest() - paths.noc().link.of(transfer.left));
    const Millicycles leaves = now + paths.dram().read_latency + head_start;
    transfer.spend(ResourceKind::Dram, leaves);
    unicast_back(transfer, paths.noc().link);
    // Booked ahead, at the moment at which it will leave: that saves an event a read and took the
    // error of Blackhole's dram_epcc from 7.4 to 6.1 %.
    send_back(number, leaves, queues.book_cut_through(number, path, transfer.left, leaves), queue);
}

void Transport::State::respond(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.waiting_on == kNone) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    const Request& request = transfer.request;
    // An L1's port sends for its own core as well: it is queued for, the links behind it are not.
    path.clear();
    path.add(resources.injection(request.device, request.noc, transfer.far), 0,
             paths.noc().read.of(transfer.left));
    if (!queues.try_start(number, path, transfer.left, now, queue)) {
        return;
    }
    read_requests.answered(transfer);
    schedule_accepted(now, 0, queue);
    unicast_back(transfer, paths.noc().read);
    send_back(number, now, queues.book_past_injection(number, path, transfer.left, now), queue);
}

void Transport::State::unicast_back(const Transfer& transfer, Pace source) {
    path.clear();
    paths.unicast({transfer.request.device, transfer.request.noc, transfer.far, transfer.own},
                  transfer.left, source, path);
}

void Transport::State::send_back(std::uint32_t number, Millicycles leaves, Millicycles delay,
                                 EventQueue& queue) {
    Transfer& transfer = transfers[number];
    transfer.slowest = path.slowest();
    transfer.slowest_kind = resources.kind(path.slowest_resource());
    schedule(number, TransferStage::Deliver,
             leaves + delay + path.latency + path.slowest() + paths.noc().completion, queue);
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
