// SPDX-License-Identifier: Apache-2.0
// Packets that wait for the channels of a link, by input of its router, and whose turn it is.
#include <algorithm>

#include "emu/timing/network/virtual_channels.hpp"

namespace tessera::timing {

// Round robin over inputs: the router's arbiter sees an input, not who sent the packet. A head that
// has not arrived does not hold up one that has.
std::uint32_t VirtualChannels::next_waiting(Channels& waiting, Millicycles now) const {
    std::uint32_t best = kNone;
    std::uint32_t best_input = 0;
    for (std::uint32_t i = 0; i < kRouterInputs; ++i) {
        const auto input = static_cast<std::uint32_t>((waiting.next_input + i) % kRouterInputs);
        const std::uint32_t number = waiting.first[input];
        if (number == kNone) {
            continue;
        }
        const Millicycles reach = transfers_[number].reach;
        if (best == kNone || reach < transfers_[best].reach) {
            best = number;
            best_input = input;
        }
        if (reach <= now) {
            break;
        }
    }
    waiting.next_input = static_cast<std::uint8_t>(best_input);
    return best;
}

void VirtualChannels::grant_first(std::uint32_t number, Millicycles now, EventQueue& queue,
                                  ResourceKind cause) {
    Channels& channels = channels_[number];
    Resource& resource = links_[number / 4];
    const std::uint32_t next = next_waiting(channels, std::max(now, resource.calendar.free()));
    Transfer& transfer = transfers_[next];
    const PacketPolicy& policy = policy_of(transfer);
    Millicycles free = kHeld;
    for (const Channel& channel : channels.buddies) {
        free = has_room(channel, resource, transfer.length, policy) ? std::min(free, channel.busy)
                                                                    : free;
    }
    if (free >= kHeld || is_port_full(transfer, transfer.head, resource)) {
        return;
    }
    const Millicycles begin = std::max({now, free, transfer.reach});
    const Millicycles time = resource.calendar.earliest(begin, transfer.wait_duration);
    // Only one that waits for the wire itself is in the way of others who want it.
    channels.granted = next;
    channels.waits_for_wire = time > begin;
    resource.num_granted += channels.waits_for_wire ? 1 : 0;
    note_cause(transfer, cause == ResourceKind::None && channels.waits_for_wire
                             ? resources_.kind(number / 4)
                             : cause);
    queue.push(time, QueueEvent::TransferStage, next);
}

void VirtualChannels::take_back_grant(std::uint32_t channels) {
    channels_[channels].granted = kNone;
    links_[channels / 4].num_granted -= channels_[channels].waits_for_wire ? 1 : 0;
}

void VirtualChannels::enqueue(std::uint32_t number, std::uint32_t channels, RouterInput input) {
    Channels& waiting = channels_[channels];
    const auto at = static_cast<std::size_t>(input);
    Transfer& transfer = transfers_[number];
    transfer.is_queued = true;
    transfer.next_waiting = kNone;
    (waiting.first[at] == kNone ? waiting.first[at] : transfers_[waiting.last[at]].next_waiting) =
        number;
    waiting.last[at] = number;
    ++waiting.num_waiting;
}

void VirtualChannels::dequeue(Transfer& transfer, std::uint32_t channels, RouterInput input) {
    Channels& waiting = channels_[channels];
    const auto at = static_cast<std::uint32_t>(input);
    waiting.first[at] = transfer.next_waiting;
    if (transfer.next_waiting != kNone) {
        note_cause(transfers_[transfer.next_waiting], transfer.waits_for);
    }
    waiting.next_input = static_cast<std::uint8_t>((at + 1) % kRouterInputs);
    transfer.is_queued = false;
    --waiting.num_waiting;
    take_back_grant(channels);
}

}  // namespace tessera::timing
