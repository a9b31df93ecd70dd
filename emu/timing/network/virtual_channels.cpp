// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/virtual_channels.hpp"

#include <algorithm>

#include "emu/timing/network/pace.hpp"

namespace tessera::timing {

VirtualChannels::VirtualChannels(const Machine& machine, const RouterBuffer& router_buffer,
                                 ResourceTable& resources, TransferPool& transfers)
    : router_buffer_(router_buffer),
      buffer_time_(Pace(Cycles{0}, machine.timing.noc.link_rate)
                       .of(machine.timing.noc.channel_buffer.value)),
      interface_(to_millicycles(machine.timing.noc.interface)),
      hop_(to_millicycles(machine.timing.noc.hop)),
      resources_(resources),
      links_(&resources[0]),
      transfers_(transfers),
      channels_(4 * std::size_t{resources.num_ports()}) {
    // Requests have one channel: the other of theirs is never free.
    for (std::size_t number = 0; number < channels_.size(); number += 2) {
        channels_[number].buddies[1].busy = kHeld + kNone;
    }
    open_ports(machine);
}

template <PacketClass kClass>
[[gnu::always_inline]] inline std::uint32_t VirtualChannels::free_buddy(
    const Channels& channels, const Resource& link, Millicycles at,
    std::uint32_t length) const noexcept {
    const auto is_free = [&](const Channel& channel) {
        return channel.busy <= at && has_room(channel, link, length, timing::policy_of(kClass));
    };
    const bool is_first_free = is_free(channels.buddies[0]);
    // Rather the one in whose buffer nobody stands.
    if (is_first_free && channels.buddies[0].stopped == 0) {
        return 0;
    }
    return is_free(channels.buddies[1]) ? 1 : is_first_free ? 0 : kNone;
}

// What lies where the body lies anew was kept there: it would get the same again.
inline void VirtualChannels::lift_body(const Transfer& transfer, std::uint32_t first,
                                       std::uint32_t head) {
    for (std::uint32_t hop = first; hop + 1 < head; ++hop) {
        const std::uint32_t number = number_of(transfer, hop);
        Channel& channel = channels_[number].buddies[transfer.buddy_of(hop)];
        RouterBuffer::give_back(links_[number / 4], channel.shared_taken);
    }
}

// The body is as long as the buffers that it fills: a packet of 8 KiB spans 16 routers of 512 B
// each, one of 1 KiB two, and more where others have taken what channels share. That is why one
// blocked packet holds up others that never come near its end.
inline std::uint32_t VirtualChannels::lay_body(Transfer& transfer) {
    const std::uint32_t last = transfer.head - 1;
    const std::uint32_t length = transfer.length;
    const std::uint32_t number = number_of(transfer, last);
    Channel& channel = channels_[number].buddies[transfer.buddy_of(last)];
    const std::uint32_t others =
        channel.stopped > 0 ? router_buffer_.flit() + channel.shared_taken : 0;
    channel.stopped += std::min(length, router_buffer_.channel());
    std::uint32_t laid =
        router_buffer_.fill(links_[number / 4], channel.shared_taken, channel.stopped) - others;
    std::uint32_t first = last;
    while (laid < length && first > transfer.filled) {
        --first;
        const std::uint32_t behind = number_of(transfer, first);
        laid += router_buffer_.fill(
            links_[behind / 4], channels_[behind].buddies[transfer.buddy_of(first)].shared_taken,
            length - laid);
    }
    transfer.filled = first;
    return first == last && laid >= length ? transfer.head : first;
}

// Links that the tail has passed are others' from now on, those between tail and head nobody's but
// its own: that is how a packet that has stopped holds up some who do not go its way.
inline void VirtualChannels::hold(std::uint32_t number, std::uint32_t tail, Millicycles now,
                                  EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    for (; transfer.tail < std::min(tail, transfer.held); ++transfer.tail) {
        release_channel(transfer, transfer.tail, {now, transfer.waits_for}, now, queue);
    }
    for (std::uint32_t hop = std::max(transfer.held, tail); hop < transfer.head; ++hop) {
        channel_of(transfer, hop).busy = kHeld + number;
    }
    transfer.held = tail < transfer.head ? transfer.head : 0;
    transfer.tail = tail;
}

inline void VirtualChannels::stand(std::uint32_t number, std::uint32_t hop, Millicycles now,
                                   EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const std::uint32_t old_head = transfer.head;
    const std::uint32_t old_first = transfer.filled;
    transfer.head = hop;
    if (hop == 0) {
        return;
    }
    const std::uint32_t tail = lay_body(transfer);
    lift_body(transfer, old_first, std::min(transfer.filled + 1, old_head));
    // Links that the tail has passed are others', though the body may lie right behind one.
    hold(number, std::max(transfer.tail, tail), now, queue);
    transfer.stands = true;
    if (hop < transfer.route.size()) {
        Channel& channel = channel_of(transfer, hop - 1);
        transfer.next_behind = kNone;
        (channel.first == kNone ? channel.first : transfers_[channel.last].next_behind) = number;
        channel.last = number;
    }
}

[[gnu::always_inline]] inline VirtualChannels::Left VirtualChannels::leave(Transfer& transfer,
                                                                           Millicycles now,
                                                                           EventQueue& queue) {
    Left left{.cause = transfer.waits_for};
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
    Channel& channel = channels_[left.buffer].buddies[transfer.buddy_of(hop)];
    channel.stopped -= std::min(transfer.length, router_buffer_.channel());
    router_buffer_.fill(links_[left.buffer / 4], channel.shared_taken, channel.stopped);
    if (transfer.head < transfer.route.size()) {
        channel.first = transfer.next_behind;
        if (channel.first != kNone) {
            note_cause(transfers_[channel.first], transfer.waits_for);
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
        grant_next(left.buffer, now, queue, left.cause);
    }
}

void VirtualChannels::release_channel(const Transfer& transfer, std::uint32_t hop, const Tail& tail,
                                      Millicycles now, EventQueue& queue) {
    const std::uint32_t number = number_of(transfer, hop);
    const std::uint32_t buddy = transfer.buddy_of(hop);
    channels_[number].buddies[buddy].busy = tail.time;
    channels_[number].causes[buddy] = tail.cause;
    grant_next(number, now, queue, tail.cause);
}

void VirtualChannels::stop(std::uint32_t number, std::uint32_t hop, Millicycles now,
                           EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const std::uint32_t channels = number_of(transfer, hop);
    if (transfer.is_queued && hop == transfer.head) {
        transfer.waits_for = cause_of_wait(transfer, hop, kNone);
        take_back_grant(channels);  // another was first: once more
        grant_next(channels, now, queue);
        return;
    }
    Left left;
    std::uint32_t in_front = kNone;  // in the same buffer
    if (hop != transfer.head || !transfer.stands) {
        left = leave(transfer, now, queue);
        in_front = hop > 0 ? channel_of(transfer, hop - 1).first : kNone;
        stand(number, hop, now, queue);
    }
    transfer.waits_for =
        cause_of_wait(transfer, hop, in_front != kNone ? in_front : first_of(channels_[channels]));
    // One that stands behind another comes back when that one has left.
    if (in_front == kNone) {
        transfer.wait_duration = transfer.route.duration_of(transfer.route.kind_of(hop));
        enqueue(number, channels, transfer.route.input_of(hop));
    }
    grant_left(left, now, queue);
    grant_next(channels, now, queue);
}

template <PacketClass kClass>
[[gnu::always_inline]] inline std::uint32_t VirtualChannels::buddy_for(
    const Head& head, std::uint32_t length, const Channels& channels,
    const Resource& link) const noexcept {
    // One that has been granted the wire on another channel goes first.
    const bool is_wire_promised = timing::policy_of(kClass).takes_wire && link.num_granted != 0;
    const bool is_in_front = head.is_first || (channels.num_waiting == 0 && !is_wire_promised);
    return is_in_front ? free_buddy<kClass>(channels, link, head.at, length) : kNone;
}

template <PacketClass kClass, HopKind kHop>
[[gnu::always_inline]] inline Millicycles VirtualChannels::book(const Transfer& transfer,
                                                                Millicycles at,
                                                                Resource& link) const {
    if constexpr (!timing::policy_of(kClass).takes_wire) {
        return at;
    }
    const Millicycles duration = transfer.route.duration_of(kHop);
    // What a wait of this length piles up fits into the router's buffer: the links behind do not
    // notice it.
    const Millicycles begin = link.calendar.book_within(at, duration, at + buffer_time_);
    if (begin != kStopped) {
        link.occupy(duration, transfer.packet);
    }
    return begin;
}

// One function for all classes and hops, compiled for each: nearly all of a replay's hops go
// through it. Inlined, so that what a head adds up stays in registers.
template <PacketClass kClass, HopKind kHop>
[[gnu::always_inline]] inline VirtualChannels::Passage VirtualChannels::pass(Transfer& transfer,
                                                                             Head& head) {
    constexpr PacketPolicy kPolicy = timing::policy_of(kClass);
    const std::uint32_t number = number_of(transfer, head.hop);
    const Channels& channels = channels_[number];
    Resource& link = links_[number / 4];
    if (kPolicy.takes_slot && kHop == HopKind::Ejection && link.free_requests == 0) {
        return Passage::Refused;
    }
    const std::uint32_t buddy = buddy_for<kClass>(head, transfer.length, channels, link);
    const Millicycles begin =
        buddy == kNone ? kStopped : book<kClass, kHop>(transfer, head.at, link);
    if (begin == kStopped) {
        return Passage::Refused;
    }
    if constexpr (kHop == HopKind::Injection) {
        transfer.departs = begin + transfer.route.injection;
    }
    head.delayed += begin - head.at;
    head.at = begin + (kHop == HopKind::Link ? hop_ : interface_);
    head.buddies |= std::uint64_t{buddy} << head.hop++;
    head.is_first = false;
    if (kPolicy.takes_wire && kHop != HopKind::Ejection && link.shared_taken > head.enough) {
        // A slot of the port holds up what comes next, not these bytes.
        const Millicycles bytes =
            kHop == HopKind::Injection ? transfer.route.injection : transfer.route.link;
        transfer.throttled = std::max(transfer.throttled, router_buffer_.throttled(link, bytes));
    }
    return kHop == HopKind::Ejection || channels.buddies[buddy].first == kNone ? Passage::Through
                                                                               : Passage::Behind;
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

template <PacketClass kClass>
Millicycles VirtualChannels::advance_as(std::uint32_t number, Start start, EventQueue& queue) {
    constexpr PacketPolicy kPolicy = timing::policy_of(kClass);
    Transfer& transfer = transfers_[number];
    const UnicastRoute& route = transfer.route;
    if (transfer.is_queued || transfer.stands) {
        transfer.spend(transfer.waits_for, start.now);
    }
    const std::uint32_t last = route.last();
    Head head{.at = start.begin,
              .buddies = transfer.buddies & ((1ULL << transfer.head) - 1),
              .hop = transfer.head,
              .enough = router_buffer_.most_taken(transfer.length),
              .is_first = transfer.is_queued};
    Passage passage = Passage::Through;
    if (head.hop == 0) {
        passage = pass<kClass, HopKind::Injection>(transfer, head);
    }
    while (passage == Passage::Through && head.hop < last) {
        passage = pass<kClass, HopKind::Link>(transfer, head);
    }
    if (passage == Passage::Through) {
        passage = pass<kClass, HopKind::Ejection>(transfer, head);
    }
    transfer.buddies = head.buddies;
    transfer.delayed = head.delayed;
    transfer.reach = head.at;
    if (passage == Passage::Through) {
        if constexpr (kPolicy.takes_slot) {
            transfer.port = route.resource_of(last);
            --links_[transfer.port].free_requests;
        }
        left_ = leave(transfer, start.now, queue);
        return head.at;
    }
    if (passage == Passage::Refused && start.begin > start.now) {
        // It holds nothing yet: one that has booked wires comes back where it stops. A request
        // begins once more, or those on their way would find more room than there is.
        transfer.head = kPolicy.takes_wire ? head.hop : 0;
        queue.push(kPolicy.takes_wire ? head.at : start.begin, QueueEvent::TransferStage, number);
    } else {
        stop(number, head.hop, start.now, queue);
    }
    return kStopped;
}

void VirtualChannels::hold_at_end(std::uint32_t number, ResourceKind waits_for, Millicycles now,
                                  EventQueue& queue) {
    const Left left = left_;  // granted now that the channels are held
    transfers_[number].waits_for = waits_for;
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
    const ResourceKind cause = is_slow ? transfer.slowest_kind : transfer.waits_for;
    const std::uint32_t first = transfer.held > 0 ? transfer.tail : transfer.head;
    const std::uint32_t end = is_slow ? route.size() : transfer.held;
    for (std::uint32_t hop = first; hop < end; ++hop) {
        const auto links = static_cast<Millicycles>(route.last() - hop);
        const auto behind = static_cast<Millicycles>(transfer.held) - hop;
        const Millicycles streamed = behind > 0
                                         ? std::max(now, now + route.link - behind * buffer_time_)
                                         : drain.begin - interface_ - links * hop_ + route.link;
        const Millicycles tail =
            std::max(streamed, drain.begin + drain.duration - interface_ - links * buffered);
        if (hop == 0) {
            departs = std::max(departs, tail);
        }
        if (behind > 0) {
            release_channel(transfer, hop, {tail, cause}, now, queue);
        } else if (Channel& channel = channel_of(transfer, hop); channel.busy < tail) {
            channel.busy = tail;
            channels_[number_of(transfer, hop)].causes[transfer.buddy_of(hop)] = cause;
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
    lift_body(transfer, transfer.filled, transfer.head);
    const Millicycles departs = is_slow || transfer.held > 0
                                    ? free_late(transfer, drain, is_slow, now, queue)
                                    : transfer.departs;
    transfer.head = 0;
    transfer.held = 0;
    transfer.tail = 0;
    transfer.filled = 0;
    transfer.throttled = 0;
    transfer.waits_for = ResourceKind::None;
    grant_left(left, now, queue);
    return departs;
}

}  // namespace tessera::timing
