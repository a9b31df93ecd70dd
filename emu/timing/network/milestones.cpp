// SPDX-License-Identifier: Apache-2.0
// Milestones of a transfer: departure, delivery and acknowledgement.
#include <algorithm>

#include "emu/timing/network/transport_state.hpp"

namespace tessera::timing {

StageResult Transport::State::depart(Transfer& transfer, Millicycles now, EventQueue& queue) {
    // Injection and the slowest link stream the same bytes at once: the time of injection counts
    // once.
    transfer.slowest -= now - transfer.stamp;
    transfer.spend(ResourceKind::NocInjection, now);
    end_command(interface_of(transfer), now, queue);
    if (transfer.is_mesh_packet()) {
        schedule(transfer, TransferStage::LinkSend, now + 2 * paths.noc().interface, queue);
        return {Milestone::Departed, false};
    }
    schedule_delivery(transfer, now, queue);
    return {Milestone::Departed, false};
}

void Transport::State::schedule_delivery(Transfer& transfer, Millicycles now,
                                         EventQueue& queue) const {
    if (auto* const unicast = std::get_if<Unicast>(&transfer.body)) {
        unicast->waits_for_bank = unicast->bank_packets > 0;
        if (unicast->waits_for_bank) {
            return;
        }
    }
    const Millicycles memory =
        transfer.request.kind == RequestKind::Atomic ? paths.noc().atomic : 0;
    schedule(transfer, TransferStage::Deliver, std::max(now, transfer.arrival + memory), queue);
}

StageResult Transport::State::deliver(Transfer& transfer, Millicycles now, EventQueue& queue) {
    const bool is_mesh_packet = transfer.is_mesh_packet();
    if (!is_mesh_packet && !transfer.is_multicast()) {
        transfer.spend(ResourceKind::NocLink,
                       std::min(now, transfer.stamp + transfer.noc_packet().delayed));
    }
    // The body streams behind the head, at the rate of the slowest resource, which its time is
    // attributed to. The rest is latency.
    if (transfer.slowest > 0) {
        transfer.spend(transfer.slowest_kind, std::min(now, transfer.stamp + transfer.slowest));
    }
    transfer.spend(is_mesh_packet ? ResourceKind::MeshLatency : ResourceKind::NocLatency, now);
    if (is_mesh_packet) {
        mesh_links.free_slot(transfer, now, queue);
        return mesh_links.finish(transfer, now, queue);
    }
    if (transfer.is_read()) {
        return deliver_read(transfer, now, queue);
    }
    if (!transfer.request.is_posted) {
        const auto* const multicast = std::get_if<Multicast>(&transfer.body);
        const Millicycles last = multicast == nullptr ? 0 : multicast->acknowledged;
        schedule(transfer, TransferStage::Acknowledge,
                 std::max(last, now + acknowledgement_time(transfer)), queue);
        return {Milestone::Delivered, false};
    }
    transfers.release(transfer);
    return {Milestone::Delivered, true};
}

// One counter serves all RISCs of the core: a stalled read starts when a packet has arrived.
StageResult Transport::State::deliver_read(Transfer& transfer, Millicycles now, EventQueue& queue) {
    NocInterface& own = interface_of(transfer);
    --own.reads;
    if (!own.stalled_reads.is_empty()) {
        Transfer& stalled = own.stalled_reads.remove_first(transfers);
        stalled.spend(ResourceKind::NocInjection, now);
        request(stalled, now, queue);
    }
    if (transfer.as<Read>().whole != kNoTransfer) {
        return part_arrived(transfer, now, queue);
    }
    transfers.release(transfer);
    return {Milestone::Delivered, true};
}

Millicycles Transport::State::acknowledgement_time(const Transfer& transfer) const {
    const Request& request = transfer.request;
    const NocTimes& noc = paths.noc();
    if (!transfer.is_multicast()) {
        const Millicycles memory =
            request.place.is_dram() ? paths.dram().write_latency : noc.l1_write;
        return memory + paths.latency(request.noc, transfer.far, transfer.own) + noc.completion;
    }
    // A round trip goes once around each axis on which the receiver differs from the sender:
    // the acknowledgement of the nearest receiver is as late as that of the furthest.
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

StageResult Transport::State::acknowledge(Transfer& transfer, Millicycles now) {
    transfer.spend(ResourceKind::NocLatency, now);
    --interface_of(transfer).writes;
    transfers.release(transfer);
    return {Milestone::Acknowledged, true};
}

}  // namespace tessera::timing
