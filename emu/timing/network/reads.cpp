// SPDX-License-Identifier: Apache-2.0
// Reads: a request of one flit to the far end, then packets back. Requests have virtual channels of
// their own and take next to no room, so only their latency counts. A packet back from an L1 waits
// for its port in line, which answers one request after the other; on their way routers take up
// packets that have to wait for a link.
#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

void Transport::State::start_read(std::uint32_t number, Millicycles now, EventQueue& queue) {
    const std::uint32_t bytes = transfers[number].request.bytes;
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
        append(own.late_reads, number);
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
        // One that was held back on its way waited for those that the far end answered first.
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
    if (transfer.waiting_on == kNobody) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    const BankPath memory = paths.bank(transfer.request.device, transfer.request.place.bank(),
                                       NocPaths::Access::Read, transfer.left);
    if (!lines.try_start(number, memory, transfer.left, now, queue)) {
        return;
    }
    read_requests.answered(transfer);
    schedule_accepted(now, 0, queue);
    // The packet leaves when the rest of it can follow at the network's rate.
    const Millicycles head_start =
        std::max<Millicycles>(0, memory.slowest() - paths.noc().link.of(transfer.left));
    const Millicycles leaves = now + paths.dram().read_latency + head_start;
    transfer.spend(ResourceKind::Dram, leaves);
    unicast_back(transfer, paths.noc().link);
    send_back(number, leaves, lines.pass(number, path, transfer.left, leaves), queue);
}

void Transport::State::respond(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    if (transfer.waiting_on == kNobody) {
        transfer.spend(ResourceKind::NocLatency, now);
    }
    const Request& request = transfer.request;
    path.clear();
    path.add(resources.injection(request.device, request.noc, transfer.far), 0,
             paths.noc().read.of(transfer.left));
    if (!lines.try_start(number, path, transfer.left, now, queue)) {
        return;
    }
    read_requests.answered(transfer);
    schedule_accepted(now, 0, queue);
    unicast_back(transfer, paths.noc().read);
    send_back(number, now, lines.pass_behind_first(number, path, transfer.left, now), queue);
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
    if (--transfers[whole].parts == 0) {
        transfers[whole].transit = transfers[number].transit;
        schedule(whole, TransferStage::PartsArrived, now, queue);
    }
    transfers.give_back(number);
    return {};
}

}  // namespace tessera::timing
