// SPDX-License-Identifier: Apache-2.0
// Queues of packets that wait for a VC group, one queue per router input, and the arbitration
// between them.
#include <algorithm>

#include "emu/timing/network/virtual_channels.hpp"

namespace tessera::timing {

// Round robin over inputs: the router's arbiter sees an input, not the packet's source. A head that
// has not arrived does not block one that has.
VirtualChannels::Next VirtualChannels::next_waiting(const Group& group, Millicycles now) const {
    Next best;
    Millicycles best_reach = 0;
    for (std::uint32_t i = 0; i < kRouterInputs; ++i) {
        const auto input = static_cast<std::uint8_t>((group.next_input + i) % kRouterInputs);
        const TransferId waiting = group.first[input];
        if (waiting == kNoTransfer) {
            continue;
        }
        Transfer& transfer = transfers_[waiting];
        const Millicycles reach = transfer.noc_packet().reach;
        if (best.transfer == nullptr || reach < best_reach) {
            best = {&transfer, input};
            best_reach = reach;
        }
        if (reach <= now) {
            break;
        }
    }
    return best;
}

void VirtualChannels::grant_first(VcGroup number, Millicycles now, EventQueue& queue,
                                  ResourceKind cause) {
    Group& group = state_of(number);
    Resource& shared = link(number);
    const Next next = next_waiting(group, std::max(now, shared.calendar.free()));
    group.next_input = next.input;
    Transfer& transfer = *next.transfer;
    NocPacket& packet = transfer.noc_packet();
    const PacketPolicy& policy = policy_of(packet);
    VcAvailability free = VcAvailability::never();
    for (const Vc& vc : group.vcs) {
        free = has_room(vc, shared, packet.length, policy) ? std::min(free, vc.free) : free;
    }
    if (free.is_held() || is_port_full(packet, packet.head, shared)) {
        return;
    }
    const Millicycles begin = std::max({now, free.time(), packet.reach});
    const Millicycles time = shared.calendar.earliest(begin, transfer.wait_duration);
    // A packet that waits for a VC leaves the wire to packets on other VCs; one that waits for the
    // wire goes before them.
    group.granted = transfer.id;
    group.waits_for_wire = time > begin;
    shared.num_granted += group.waits_for_wire ? 1 : 0;
    packet.note_cause(cause == ResourceKind::None && group.waits_for_wire
                          ? resources_.kind(resource_of(link_of(number)))
                          : cause);
    push_stage(queue, time, transfer.id);
}

void VirtualChannels::revoke_grant(VcGroup group) {
    state_of(group).granted = kNoTransfer;
    link(group).num_granted -= state_of(group).waits_for_wire ? 1 : 0;
}

void VirtualChannels::enqueue(Transfer& transfer, VcGroup group, RouterInput input) {
    Group& waiting = state_of(group);
    const auto at = static_cast<std::size_t>(input);
    transfer.noc_packet().is_queued = true;
    transfer.next_waiting = kNoTransfer;
    (waiting.first[at] == kNoTransfer ? waiting.first[at]
                                      : transfers_[waiting.last[at]].next_waiting) = transfer.id;
    waiting.last[at] = transfer.id;
    ++waiting.num_waiting;
}

void VirtualChannels::dequeue(Transfer& transfer, VcGroup group, RouterInput input) {
    Group& waiting = state_of(group);
    NocPacket& leaving = transfer.noc_packet();
    const auto at = static_cast<std::uint32_t>(input);
    waiting.first[at] = transfer.next_waiting;
    // The next packet waited behind this one, hence for the same resource.
    if (transfer.next_waiting != kNoTransfer) {
        packet_of(transfer.next_waiting).note_cause(leaving.waits_for);
    }
    waiting.next_input = static_cast<std::uint8_t>((at + 1) % kRouterInputs);
    leaving.is_queued = false;
    --waiting.num_waiting;
    revoke_grant(group);
}

}  // namespace tessera::timing
