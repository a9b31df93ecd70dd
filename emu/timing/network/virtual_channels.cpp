// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/virtual_channels.hpp"

#include <algorithm>

namespace tessera::timing {

void VirtualChannels::call_next(Channel& channel, Millicycles now, EventQueue& queue) {
    for (std::size_t i = 0; i < kRouterInputs; ++i) {
        const std::size_t input = (channel.turn + i) % kRouterInputs;
        if (channel.first[input] != kNobody) {
            channel.turn = static_cast<std::uint8_t>(input);
            const Millicycles wanted = transfers_[channel.first[input]].wait_duration;
            queue.push(channel.calendar.earliest(now, wanted), QueueEvent::TransferStage,
                       channel.first[input]);
            return;
        }
    }
}

void VirtualChannels::wait(std::uint32_t number, const PathStep& step, Millicycles now,
                           EventQueue& queue) {
    Channel& channel = channels_[step.channel];
    const bool is_first = !channel.has_line();
    const auto input = static_cast<std::size_t>(step.input);
    Transfer& transfer = transfers_[number];
    transfer.is_in_line = true;
    transfer.wait_duration = step.duration;
    transfer.next_waiting = kNobody;
    (channel.first[input] == kNobody ? channel.first[input]
                                     : transfers_[channel.last[input]].next_waiting) = number;
    channel.last[input] = number;
    if (is_first && !channel.is_held) {
        call_next(channel, now, queue);
    }
}

void VirtualChannels::leave_line(std::uint32_t number, const PathStep& step) {
    Channel& channel = channels_[step.channel];
    const auto input = static_cast<std::size_t>(step.input);
    channel.first[input] = transfers_[number].next_waiting;
    channel.turn = static_cast<std::uint8_t>((input + 1) % kRouterInputs);
    transfers_[number].is_in_line = false;
}

void VirtualChannels::give_back(Channel& channel, Millicycles begin, Millicycles end,
                                Millicycles now, EventQueue& queue) {
    channel.is_held = false;
    channel.calendar.take(begin, end - begin);
    call_next(channel, now, queue);
}

bool VirtualChannels::try_hold(std::uint32_t number, PacketPath& path, Millicycles now,
                               EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const std::uint32_t size = path.size();
    if (transfer.is_in_line) {
        const PathStep step = path.step(transfer.head);
        transfer.origin = step.offset;
        transfer.spend(ResourceKind::NocLink, now);
        leave_line(number, step);
        channels_[step.channel].is_held = true;
        ++transfer.head;
    }
    path.move_origin(transfer.origin);
    for (; transfer.head < size; ++transfer.head) {
        const PathStep step = path.step(transfer.head);
        if (step.channel == kNoChannel) {
            continue;
        }
        Channel& channel = channels_[step.channel];
        if (channel.is_held || channel.has_line() ||
            channel.calendar.earliest(now + step.offset, step.duration) > now + step.offset) {
            wait(number, step, now, queue);
            const std::uint32_t routers = (transfer.packet + kChannelBuffer - 1) / kChannelBuffer;
            for (; transfer.tail + routers < transfer.head; ++transfer.tail) {
                const std::uint32_t behind = path.step(transfer.tail).channel;
                if (behind != kNoChannel) {
                    give_back(channels_[behind], now, now, now, queue);
                }
            }
            return false;
        }
        channel.is_held = true;
    }
    return true;
}

void VirtualChannels::release(std::uint32_t number, const PacketPath& path, Millicycles now,
                              EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    // Where the path is slower further on, routers on the way take up what has left the sender.
    const Millicycles buffered = path.slowest() * kChannelBuffer / std::max(1U, transfer.packet);
    const std::uint32_t size = path.size();
    for (std::uint32_t i = transfer.tail; i < size; ++i) {
        const PathStep step = path.step(i);
        if (step.channel != kNoChannel) {
            const Millicycles at_once = now + step.offset + step.duration;
            const Millicycles behind = path.slowest() - step.duration - (size - 1 - i) * buffered;
            const Millicycles tail = at_once + std::max<Millicycles>(0, behind);
            give_back(channels_[step.channel], std::max(now, now + step.offset),
                      std::max(now, tail), now, queue);
        }
    }
    transfer.head = 0;
    transfer.tail = 0;
    transfer.origin = 0;
}

}  // namespace tessera::timing
