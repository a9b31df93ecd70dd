// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/virtual_channels.hpp"

#include <algorithm>

namespace tessera::timing {

VirtualChannels::VirtualChannels(const Machine& machine, const RouterBuffer& router_buffer,
                                 ResourceTable& resources, TransferPool& transfers)
    : router_buffer_(router_buffer),
      buffer_time_(Pace(Cycles{0}, machine.timing.noc.link_rate)
                       .of(machine.timing.noc.channel_buffer.value)),
      resources_(resources),
      transfers_(transfers),
      channels_(4 * std::size_t{resources.num_ports()}),
      waiting_(channels_.size()) {
    // Requests have one channel: the other of theirs is never free.
    for (std::size_t number = 0; number < channels_.size(); number += 2) {
        channels_[number].buddies[1].busy = kHeld;
    }
    open_ports(machine);
}

template <PacketClass kClass>
[[gnu::always_inline]] inline std::uint32_t VirtualChannels::free_buddy(
    const Channels& channels, const Resource& link, const Passing& passing) const noexcept {
    const auto is_free = [&](const Channel& channel) {
        return channel.busy <= passing.at &&
               has_room(channel, link, passing.length, timing::policy_of(kClass));
    };
    const bool is_first_free = is_free(channels.buddies[0]);
    // Rather the one in whose buffer nobody stands.
    if (is_first_free && channels.buddies[0].stopped == 0) {
        return 0;
    }
    return is_free(channels.buddies[1]) ? 1 : is_first_free ? 0 : kNone;
}

std::uint32_t VirtualChannels::fill(const Transfer& transfer, std::uint32_t hop,
                                    std::uint32_t bytes) {
    Channel& channel = channel_of(transfer, hop);
    router_buffer_.share(resources_[transfer.route.resource_of(hop)], channel.shared_taken, bytes);
    return router_buffer_.flit() + channel.shared_taken;
}

// Before the head stands anew: of what it gives up others get nothing meanwhile, as all of this
// happens at one time.
void VirtualChannels::lift_body(const Transfer& transfer) {
    for (std::uint32_t hop = transfer.filled; hop + 1 < transfer.head; ++hop) {
        (void)fill(transfer, hop, 0);
    }
}

// The body is as long as the buffers that it fills: a packet of 8 KiB spans 16 routers of 512 B
// each, one of 1 KiB two, and more where others have taken what channels share. That is why one
// blocked packet holds up others that never come near its end.
std::uint32_t VirtualChannels::lay_body(Transfer& transfer) {
    const std::uint32_t last = transfer.head - 1;
    Channel& channel = channel_of(transfer, last);
    const std::uint32_t others =
        channel.stopped > 0 ? router_buffer_.flit() + channel.shared_taken : 0;
    channel.stopped += std::min(transfer.length, router_buffer_.channel());
    std::uint32_t laid = fill(transfer, last, channel.stopped) - others;
    std::uint32_t first = last;
    while (laid < transfer.length && first > transfer.filled) {
        --first;
        laid += fill(transfer, first, transfer.length - laid);
    }
    transfer.filled = first;
    return first == last && laid >= transfer.length ? transfer.head : first;
}

// Links that the tail has passed are others' from now on, those between tail and head nobody's but
// its own: that is how a packet that has stopped holds up some who do not go its way.
void VirtualChannels::hold(Transfer& transfer, std::uint32_t tail, Millicycles now,
                           EventQueue& queue) {
    for (; transfer.tail < std::min(tail, transfer.held); ++transfer.tail) {
        release_channel(transfer, transfer.tail, now, now, queue);
    }
    for (std::uint32_t hop = std::max(transfer.held, tail); hop < transfer.head; ++hop) {
        channel_of(transfer, hop).busy = kHeld;
    }
    transfer.held = tail < transfer.head ? transfer.head : 0;
    transfer.tail = tail;
}

void VirtualChannels::stand(std::uint32_t number, std::uint32_t hop, Millicycles now,
                            EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    lift_body(transfer);
    transfer.head = hop;
    if (hop == 0) {
        return;
    }
    // Links that the tail has passed are others', though the body may lie right behind one.
    hold(transfer, std::max(transfer.tail, lay_body(transfer)), now, queue);
    transfer.stands = true;
    if (hop < transfer.route.size()) {
        Channel& channel = channel_of(transfer, hop - 1);
        transfer.next_behind = kNone;
        (channel.first == kNone ? channel.first : transfers_[channel.last].next_behind) = number;
        channel.last = number;
    }
}

VirtualChannels::Left VirtualChannels::leave(Transfer& transfer, Millicycles now,
                                             EventQueue& queue) {
    Left left;
    if (transfer.is_queued) {
        left.queue = number_of(transfer, transfer.head);
        dequeue(transfer, left.queue, transfer.route.input_of(transfer.head));
    }
    if (!transfer.stands) {
        return left;
    }
    transfer.stands = false;
    const std::uint32_t hop = transfer.head - 1;
    left.buffer = number_of(transfer, hop);
    Channel& channel = channel_of(transfer, hop);
    channel.stopped -= std::min(transfer.length, router_buffer_.channel());
    (void)fill(transfer, hop, channel.stopped);
    if (transfer.head < transfer.route.size()) {
        channel.first = transfer.next_behind;
        if (channel.first != kNone) {
            queue.push(std::max(now, transfers_[channel.first].reach), QueueEvent::TransferStage,
                       channel.first);
        }
    }
    return left;
}

void VirtualChannels::grant_left(const Left& left, Millicycles now, EventQueue& queue) {
    if (left.queue != kNone) {
        grant_next(left.queue, now, queue);
    }
    if (left.buffer != kNone) {
        grant_next(left.buffer, now, queue);
    }
}

void VirtualChannels::release_channel(const Transfer& transfer, std::uint32_t hop, Millicycles tail,
                                      Millicycles now, EventQueue& queue) {
    channel_of(transfer, hop).busy = tail;
    grant_next(number_of(transfer, hop), now, queue);
}

void VirtualChannels::stop(std::uint32_t number, std::uint32_t hop, Millicycles now,
                           EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const std::uint32_t channels = number_of(transfer, hop);
    if (transfer.is_queued && hop == transfer.head) {
        take_back_grant(channels);  // another was first: once more
        grant_next(channels, now, queue);
        return;
    }
    Left left;
    bool is_behind = false;
    if (hop != transfer.head || !transfer.stands) {
        left = leave(transfer, now, queue);
        is_behind = hop > 0 && channel_of(transfer, hop - 1).first != kNone;
        stand(number, hop, now, queue);
    }
    // One that stands behind another comes back when that one has left.
    if (!is_behind) {
        transfer.wait_duration = transfer.route.duration_of(hop);
        enqueue(number, channels, transfer.route.input_of(hop));
    }
    grant_left(left, now, queue);
    grant_next(channels, now, queue);
}

// Inlined: calls of this were 3 % of a replay's instructions.
template <PacketClass kClass>
[[gnu::always_inline]] inline Millicycles VirtualChannels::pass(const Channels& channels,
                                                                Resource& resource,
                                                                const Passing& passing,
                                                                std::uint32_t& buddy) const {
    constexpr PacketPolicy kPolicy = timing::policy_of(kClass);
    // One that has been granted the wire on another channel goes first.
    const bool is_in_front =
        passing.is_first ||
        (channels.num_waiting == 0 && (resource.num_granted == 0 || !kPolicy.takes_wire));
    buddy = is_in_front ? free_buddy<kClass>(channels, resource, passing) : kNone;
    if (buddy == kNone) {
        return kStopped;
    }
    if constexpr (!kPolicy.takes_wire) {
        return passing.at;
    }
    // What a wait of this length piles up fits into the router's buffer: the links behind do not
    // notice it.
    return resource.calendar.book_within(passing.at, passing.duration, passing.at + buffer_time_);
}

Millicycles VirtualChannels::advance(std::uint32_t number, Start start, EventQueue& queue) {
    switch (transfers_[number].packet_class) {
        case PacketClass::Request:
            return advance_as<PacketClass::Request>(number, start, queue);
        case PacketClass::Answer:
            return advance_as<PacketClass::Answer>(number, start, queue);
        case PacketClass::Data:
            break;
    }
    return advance_as<PacketClass::Data>(number, start, queue);
}

// One loop for all classes, compiled for each: nearly all of a replay's hops go through it.
template <PacketClass kClass>
Millicycles VirtualChannels::advance_as(std::uint32_t number, Start start, EventQueue& queue) {
    constexpr PacketPolicy kPolicy = timing::policy_of(kClass);
    Transfer& transfer = transfers_[number];
    const UnicastRoute& route = transfer.route;
    if (transfer.is_queued || transfer.stands) {
        transfer.spend(wait_kind(transfer, route.resource_of(transfer.head)), start.now);
    }
    transfer.delayed = 0;
    const std::uint32_t first_channels = 2 * route.base + kPolicy.channels;
    const std::uint32_t last = route.last();
    const std::uint32_t enough = router_buffer_.most_taken(transfer.length);
    Passing passing{.at = start.begin, .length = transfer.length, .is_first = transfer.is_queued};
    for (std::uint32_t hop = transfer.head; hop <= last; ++hop) {
        const std::uint32_t at_channels = first_channels + 2 * route.channels[hop];
        const Channels& channels = channels_[at_channels];
        Resource& resource = resources_[at_channels / 4];
        std::uint32_t buddy = kNone;
        passing.duration = route.duration_of(hop);
        const bool is_full = kPolicy.takes_slot && hop == last && resource.free_requests == 0;
        const Millicycles begin =
            is_full ? kStopped : pass<kClass>(channels, resource, passing, buddy);
        if (begin == kStopped) {
            transfer.reach = passing.at;
            if (start.begin > start.now) {
                // It holds nothing yet: one that has booked wires comes back where it stops. A
                // request begins once more, or those on their way would find more room than there
                // is.
                transfer.head = kPolicy.takes_wire ? hop : 0;
                queue.push(kPolicy.takes_wire ? passing.at : start.begin, QueueEvent::TransferStage,
                           number);
            } else {
                stop(number, hop, start.now, queue);
            }
            return kStopped;
        }
        if constexpr (kPolicy.takes_wire) {
            resource.occupy(passing.duration, transfer.packet);
        }
        transfer.take_buddy(hop, buddy);
        if (hop == 0) {
            transfer.departs = begin + route.injection;
        }
        transfer.delayed += begin - passing.at;
        passing.at = begin + route.step_of(hop);
        passing.is_first = false;
        if (hop == last) {
            break;
        }
        if (kPolicy.takes_wire && resource.shared_taken > enough) {
            // A slot of the port holds up what comes next, not these bytes.
            transfer.throttled = std::max(
                transfer.throttled,
                router_buffer_.throttled(resource, hop == 0 ? route.injection : route.link));
        }
        if (channels.buddies[buddy].first != kNone) {
            transfer.reach = passing.at;
            stop(number, hop + 1, start.now, queue);
            return kStopped;
        }
    }
    if constexpr (kPolicy.takes_slot) {
        transfer.port = route.resource_of(last);
        --resources_[transfer.port].free_requests;
    }
    transfer.reach = passing.at;
    left_ = leave(transfer, start.now, queue);
    return passing.at;
}

void VirtualChannels::hold_at_end(std::uint32_t number, Millicycles now, EventQueue& queue) {
    const Left left = left_;  // granted now that the channels are held
    stand(number, transfers_[number].route.size(), now, queue);
    grant_left(left, now, queue);
}

// Inlined, as pass.
[[gnu::always_inline]] inline Millicycles VirtualChannels::free_late(Transfer& transfer,
                                                                     const Drain& drain,
                                                                     bool is_slow, Millicycles now,
                                                                     EventQueue& queue) {
    const UnicastRoute& route = transfer.route;
    Millicycles departs = transfer.departs;
    // Where the path is slower further on (a DRAM bank), routers of the route buffer what has left
    // the sender, and channels near to it are free sooner than the last byte is through.
    const Millicycles buffered =
        drain.duration * router_buffer_.channel() / std::max(1U, transfer.packet);
    const std::uint32_t first = transfer.held > 0 ? transfer.tail : transfer.head;
    const std::uint32_t end = is_slow ? route.size() : transfer.held;
    for (std::uint32_t hop = first; hop < end; ++hop) {
        const auto links = static_cast<Millicycles>(route.last() - hop);
        const auto behind = static_cast<Millicycles>(transfer.held) - hop;
        const Millicycles streamed =
            behind > 0 ? std::max(now, now + route.link - behind * buffer_time_)
                       : drain.begin - route.interface - links * route.hop + route.link;
        const Millicycles tail =
            std::max(streamed, drain.begin + drain.duration - route.interface - links * buffered);
        if (hop == 0) {
            departs = std::max(departs, tail);
        }
        if (behind > 0) {
            release_channel(transfer, hop, tail, now, queue);
        } else {
            Millicycles& busy = channel_of(transfer, hop).busy;
            busy = std::max(busy, tail);
        }
    }
    return departs;
}

Millicycles VirtualChannels::release(std::uint32_t number, const Drain& drain, Millicycles now,
                                     EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const UnicastRoute& route = transfer.route;
    const Left left = transfer.stands ? leave(transfer, now, queue) : left_;
    const bool is_slow = drain.duration > std::max(route.link, route.injection);
    lift_body(transfer);
    const Millicycles departs = is_slow || transfer.held > 0
                                    ? free_late(transfer, drain, is_slow, now, queue)
                                    : transfer.departs;
    transfer.head = 0;
    transfer.held = 0;
    transfer.tail = 0;
    transfer.filled = 0;
    transfer.throttled = 0;
    grant_left(left, now, queue);
    return departs;
}

}  // namespace tessera::timing
