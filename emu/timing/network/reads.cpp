// SPDX-License-Identifier: Apache-2.0
// Reads: a request of one flit to the far end, then packets back. Requests have virtual channels of
// their own and take next to no room, so only their latency counts. A packet back waits for its
// port in line; on its way routers take up what has to wait for a link.
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
        const Transfer& transfer = transfers[number];
        const Millicycles arrives =
            now + lead + transfer.request_hops * paths.noc().hop + paths.noc().interface;
        if (transfer.request.place.is_dram()) {
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
    path.clear();
    paths.bank(transfer.request.device, transfer.request.place.bank(), NocPaths::Access::Read,
               transfer.left, 0, path);
    if (!lines.try_start(number, path, transfer.left, now, queue)) {
        return;
    }
    read_requests.answered(transfer);
    schedule_accepted(now, 0, queue);
    // The packet leaves when the rest of it can follow at the network's rate.
    const Millicycles head_start =
        std::max<Millicycles>(0, path.slowest() - paths.noc().link.of(transfer.left));
    schedule(number, TransferStage::Respond, now + paths.dram().read_latency + head_start, queue);
}

void Transport::State::respond(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    const bool is_dram = transfer.request.place.is_dram();
    if (transfer.waiting_on == kNobody) {
        transfer.spend(is_dram ? ResourceKind::Dram : ResourceKind::NocLatency, now);
    }
    const std::uint32_t device = transfer.request.device;
    const std::uint32_t noc = transfer.request.noc;
    const Pace pace = is_dram ? paths.noc().link : paths.noc().read;
    path.clear();
    path.add(resources.injection(device, noc, transfer.far), 0, pace.of(transfer.left));
    if (!lines.try_start(number, path, transfer.left, now, queue)) {
        return;
    }
    if (!is_dram) {
        read_requests.answered(transfer);
        schedule_accepted(now, 0, queue);
    }
    path.clear();
    paths.unicast({device, noc, transfer.far, transfer.own}, transfer.left, pace, path);
    const Millicycles delay = lines.pass(number, path, transfer.left, now);
    transfer.slowest = path.slowest();
    transfer.slowest_kind = resources.kind(path.slowest_resource());
    schedule(number, TransferStage::Deliver,
             now + delay + path.latency + path.slowest() + paths.noc().completion, queue);
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
