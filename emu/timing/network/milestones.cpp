// SPDX-License-Identifier: Apache-2.0
// Reaches the milestones of a transfer: departure, delivery and acknowledgement.
#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

StageResult Transport::State::depart(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    // Injection and the slowest link stream the same bytes at once: what injection took counts
    // once.
    transfer.slowest -= now - transfer.stamp;
    transfer.spend(ResourceKind::NocInjection, now);
    end_command(interface_of(transfer), now, queue);
    if (transfer.request.kind == RequestKind::Fabric) {
        schedule(number, TransferStage::LinkSend, now + 2 * paths.noc().interface, queue);
        return {Milestone::Departed, false};
    }
    schedule_delivery(number, now, queue);
    return {Milestone::Departed, false};
}

void Transport::State::schedule_delivery(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    transfer.waits_for_bank = transfer.parts > 0;
    if (transfer.waits_for_bank) {
        return;
    }
    const Millicycles memory =
        transfer.request.kind == RequestKind::Atomic ? paths.noc().atomic : 0;
    schedule(number, TransferStage::Deliver, std::max(now, transfer.arrival + memory), queue);
}

StageResult Transport::State::deliver(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers[number];
    transfer.spend(ResourceKind::NocLink, std::min(now, transfer.stamp + transfer.delayed));
    // The body streams behind the head, at the rate of the slowest resource: that is where its time
    // goes in the account; what is left is latency.
    if (transfer.slowest > 0) {
        const Millicycles begin = transfer.stamp;
        transfer.spend(transfer.slowest_kind, std::min(now, begin + transfer.slowest));
    }
    const Request& request = transfer.request;
    transfer.spend(
        request.kind == RequestKind::Fabric ? ResourceKind::MeshLatency : ResourceKind::NocLatency,
        now);
    free_slot(transfer, now, queue);
    if (request.kind == RequestKind::Fabric) {
        return end_packet(number, now, queue);
    }
    if (request.kind == RequestKind::Read) {
        // One counter for all RISCs of the core: the next read goes when a packet has come back.
        NocInterface& own = interface_of(transfer);
        --own.reads;
        if (own.stalled_reads.first != kNone) {
            const std::uint32_t late = remove_first(own.stalled_reads);
            transfers[late].spend(ResourceKind::NocInjection, now);
            this->request(late, now, queue);
        }
        if (transfer.parent != kNone) {
            return part_arrived(number, now, queue);
        }
    } else if (!request.is_posted) {
        schedule(number, TransferStage::Acknowledge,
                 std::max(transfer.acknowledged, now + acknowledgement(transfer)), queue);
        return {Milestone::Delivered, false};
    }
    transfers.release(number);
    return {Milestone::Delivered, true};
}

Millicycles Transport::State::acknowledgement(const Transfer& transfer) const {
    const Request& request = transfer.request;
    const NocTimes& noc = paths.noc();
    if (request.kind != RequestKind::Multicast && request.kind != RequestKind::MulticastWord) {
        const Millicycles memory =
            request.place.is_dram() ? paths.dram().write_latency : noc.l1_write;
        return memory + paths.latency(request.noc, transfer.far, transfer.own) + noc.completion;
    }
    // There and back is once around each axis on which a receiver lies elsewhere: the last
    // acknowledgement is as late for the nearest receiver as for the furthest.
    const auto [columns, rows] = arch.noc.grid;
    const WorkerGridSpec& workers = arch.workers;
    const auto& [start, end] = std::pair(request.rect_start, request.rect_end);
    const bool around_x = start.x != end.x || workers.noc_columns[start.x] != transfer.own.x;
    const bool around_y = start.y != end.y || workers.noc_rows[start.y] != transfer.own.y;
    const Millicycles around = ((around_x ? columns : 0) + (around_y ? rows : 0)) * noc.hop;
    const NocRoute& route = paths.route(request.noc);
    const CoreCoord last{workers.noc_columns[end.x], workers.noc_rows[end.y]};
    const CoreCoord first{workers.noc_columns[start.x], workers.noc_rows[start.y]};
    const Millicycles there =
        std::max(route.hops(transfer.own, last), route.hops(transfer.own, first)) * noc.hop;
    return noc.l1_write + std::max<Millicycles>(0, around - there) + 2 * noc.interface +
           noc.completion;
}

StageResult Transport::State::acknowledge(std::uint32_t number, Millicycles now) {
    Transfer& transfer = transfers[number];
    transfer.spend(ResourceKind::NocLatency, now);
    --interface_of(transfer).writes;
    transfers.release(number);
    return {Milestone::Acknowledged, true};
}

}  // namespace tessera::timing
