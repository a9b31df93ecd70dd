// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/virtual_channels.hpp"

#include <algorithm>

namespace tessera::timing {

// Round robin over inputs, first in, first out within one: the router's arbiter sees an input, not
// who sent the packet.
void VirtualChannels::grant_next(Channel& channel, Millicycles now, EventQueue& queue) {
    for (std::size_t i = 0; i < kRouterInputs; ++i) {
        const std::size_t input = (channel.next_input + i) % kRouterInputs;
        if (channel.first[input] != kNone) {
            channel.next_input = static_cast<std::uint8_t>(input);
            const Millicycles wanted = transfers_[channel.first[input]].wait_duration;
            queue.push(channel.calendar.earliest(now, wanted), QueueEvent::TransferStage,
                       channel.first[input]);
            return;
        }
    }
}

void VirtualChannels::wait(std::uint32_t number, const Reservation& at, Millicycles now,
                           EventQueue& queue) {
    Channel& channel = channels_[at.channel];
    const bool is_first = !channel.has_queue();
    const auto input = static_cast<std::size_t>(at.input);
    Transfer& transfer = transfers_[number];
    transfer.is_queued = true;
    transfer.wait_duration = at.duration;
    transfer.next_waiting = kNone;
    (channel.first[input] == kNone ? channel.first[input]
                                   : transfers_[channel.last[input]].next_waiting) = number;
    channel.last[input] = number;
    if (is_first && !channel.is_held) {
        grant_next(channel, now, queue);
    }
}

void VirtualChannels::leave_queue(std::uint32_t number, const Reservation& at) {
    Channel& channel = channels_[at.channel];
    const auto input = static_cast<std::size_t>(at.input);
    channel.first[input] = transfers_[number].next_waiting;
    channel.next_input = static_cast<std::uint8_t>((input + 1) % kRouterInputs);
    transfers_[number].is_queued = false;
}

void VirtualChannels::release_channel(Channel& channel, Millicycles begin, Millicycles end,
                                      Millicycles now, EventQueue& queue) {
    channel.is_held = false;
    channel.calendar.book(begin, end - begin);
    grant_next(channel, now, queue);
}

bool VirtualChannels::try_acquire(std::uint32_t number, PacketPath& path, Millicycles now,
                                  EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const std::uint32_t size = path.size();
    if (transfer.is_queued) {
        const Reservation step = path.step(transfer.head);
        transfer.origin = step.offset;
        transfer.spend(ResourceKind::NocLink, now);
        leave_queue(number, step);
        channels_[step.channel].is_held = true;
        ++transfer.head;
    }
    // A blocked head goes on from where it stands: the route behind it takes no time again.
    path.move_origin(transfer.origin);
    for (; transfer.head < size; ++transfer.head) {
        const Reservation step = path.step(transfer.head);
        if (step.channel == kNoChannel) {
            continue;
        }
        Channel& channel = channels_[step.channel];
        // Held by a packet that is blocked itself, asked for by others before, or booked until a
        // tail has passed.
        if (channel.is_held || channel.has_queue() ||
            channel.calendar.earliest(now + step.offset, step.duration) > now + step.offset) {
            wait(number, step, now, queue);
            release_tail(transfer, path, now, queue);
            return false;
        }
        channel.is_held = true;
    }
    return true;
}

// The body is as long as the buffers that it fills: a packet of 8 KiB spans 16 routers of 512 B
// each, one of 1 KiB two. That is why one blocked write holds up others that never come near its
// end.
void VirtualChannels::release_tail(Transfer& transfer, const PacketPath& path, Millicycles now,
                                   EventQueue& queue) {
    const std::uint32_t routers = (transfer.packet + buffer_ - 1) / buffer_;
    for (; transfer.tail + routers < transfer.head; ++transfer.tail) {
        const std::uint32_t behind = path.step(transfer.tail).channel;
        if (behind != kNoChannel) {
            release_channel(channels_[behind], now, now, now, queue);
        }
    }
}

void VirtualChannels::release(std::uint32_t number, const PacketPath& path, Millicycles now,
                              EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    // Where the path is slower further on (a DRAM bank), routers of the route buffer what has left
    // the sender, and channels near to it are free sooner than the last byte is through.
    const Millicycles buffered = path.slowest() * buffer_ / std::max(1U, transfer.packet);
    const std::uint32_t size = path.size();
    for (std::uint32_t i = transfer.tail; i < size; ++i) {
        const Reservation step = path.step(i);
        if (step.channel != kNoChannel) {
            const Millicycles at_once = now + step.offset + step.duration;
            const Millicycles behind = path.slowest() - step.duration - (size - 1 - i) * buffered;
            const Millicycles tail = at_once + std::max<Millicycles>(0, behind);
            release_channel(channels_[step.channel], std::max(now, now + step.offset),
                            std::max(now, tail), now, queue);
        }
    }
    transfer.head = 0;
    transfer.tail = 0;
    transfer.origin = 0;
}

}  // namespace tessera::timing
