// SPDX-License-Identifier: Apache-2.0
// Attributes a blocked packet's wait to the resource that blocks the head of its queue, which may
// be many routers away. Attributed to the resource in front of each packet, moe_v2 appeared to be
// bound by the ports of its DRAM banks. Unlimited ports gain 2 %, but unlimited links further on 17
// %.
#include "emu/timing/network/virtual_channels.hpp"

namespace tessera::timing {

TransferId VirtualChannels::first_of(const Group& group) {
    if (group.num_waiting == 0 || group.granted != kNoTransfer) {
        return group.granted;
    }
    TransferId first = kNoTransfer;
    for (const TransferId waiting : group.first) {
        first = first == kNoTransfer ? waiting : first;
    }
    return first;
}

ResourceKind VirtualChannels::cause_of_first(const Transfer& transfer, std::uint32_t hop) const {
    const NocPacket& blocked = transfer.noc_packet();
    // At its port a request waits for requests that the far end answers first.
    if (policy_of(blocked).takes_slot && hop == blocked.route.last()) {
        return transfer.request.place.is_dram() ? ResourceKind::Dram : ResourceKind::NocInjection;
    }
    const VcGroup number = blocked.route.group_of(hop);
    const Group& group = state_of(number);
    ResourceKind cause = ResourceKind::None;
    for (std::uint32_t i = 0; i < 2; ++i) {
        const Vc& vc = group.vcs[i];
        if (vc.free.is_held()) {
            const TransferId holder = vc.free.holder();
            cause = holder == kNoTransfer ? cause : packet_of(holder).waits_for;
        } else if (vc.free.time() > blocked.reach) {
            cause = group.causes[i];
        } else if (has_room(vc, link(number), blocked.length, policy_of(blocked))) {
            return ResourceKind::None;  // this VC is available: only the wire is left
        } else if (vc.first != kNoTransfer) {
            cause = packet_of(vc.first).waits_for;
        }
    }
    return cause;
}

ResourceKind VirtualChannels::cause_of_wait(const Transfer& transfer, std::uint32_t hop,
                                            TransferId ahead) const {
    const ResourceKind cause =
        ahead == kNoTransfer ? cause_of_first(transfer, hop) : packet_of(ahead).waits_for;
    return cause == ResourceKind::None
               ? resources_.kind(resource_of(transfer.noc_packet().route.link_of(hop)))
               : cause;
}

}  // namespace tessera::timing
