// SPDX-License-Identifier: Apache-2.0
// For which resource the time of a packet that has stopped counts. Where packets stand in line, one
// behind the other and through many routers, that is what holds up the first of the line. Counted
// by where each stood, moe_v2 was bound by the ports of its DRAM banks, which it would have gained
// 2 % to do without, where the links further on were worth 17.
#include "emu/timing/network/virtual_channels.hpp"

namespace tessera::timing {

std::uint32_t VirtualChannels::first_of(const Channels& channels) {
    if (channels.num_waiting == 0 || channels.granted != kNone) {
        return channels.granted;
    }
    std::uint32_t first = kNone;
    for (const std::uint32_t waiting : channels.first) {
        first = first == kNone ? waiting : first;
    }
    return first;
}

ResourceKind VirtualChannels::cause_of_first(const Transfer& transfer, std::uint32_t hop) const {
    // At its port a request waits for those that the far end answers first.
    if (policy_of(transfer).takes_slot && hop == transfer.route.last()) {
        return transfer.request.place.is_dram() ? ResourceKind::Dram : ResourceKind::NocInjection;
    }
    const std::uint32_t number = number_of(transfer, hop);
    const Channels& channels = channels_[number];
    ResourceKind cause = ResourceKind::None;
    for (std::uint32_t buddy = 0; buddy < 2; ++buddy) {
        const Channel& channel = channels.buddies[buddy];
        if (channel.busy >= kHeld) {
            const auto holder = static_cast<std::uint32_t>(channel.busy - kHeld);
            cause = holder == kNone ? cause : transfers_[holder].waits_for;
        } else if (channel.busy > transfer.reach) {
            cause = channels.causes[buddy];
        } else if (has_room(channel, links_[number / 4], transfer.length, policy_of(transfer))) {
            return ResourceKind::None;  // it is the wire
        } else if (channel.first != kNone) {
            cause = transfers_[channel.first].waits_for;
        }
    }
    return cause;
}

ResourceKind VirtualChannels::cause_of_wait(const Transfer& transfer, std::uint32_t hop,
                                            std::uint32_t ahead) const {
    const ResourceKind cause =
        ahead == kNone ? cause_of_first(transfer, hop) : transfers_[ahead].waits_for;
    return cause == ResourceKind::None ? resources_.kind(transfer.route.resource_of(hop)) : cause;
}

}  // namespace tessera::timing
