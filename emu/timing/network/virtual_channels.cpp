// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/virtual_channels.hpp"

#include <algorithm>
#include <utility>

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
      links_(&resources[ResourceId{0}]),
      transfers_(transfers),
      groups_(kVcGroupsPerLink * std::size_t{resources.num_links()}) {
    // Requests and data use one VC of their group, the static one.
    for (std::size_t group = 0; group < groups_.size(); group += kVcGroupsPerSide) {
        groups_[group].vcs[1].free = VcAvailability::never();
    }
    set_request_slots(machine);
}

template <PacketClass kClass>
[[gnu::always_inline]] inline std::uint32_t VirtualChannels::free_vc(
    const Group& group, const Resource& link, Millicycles at, std::uint32_t length) const noexcept {
    const auto is_free = [&](const Vc& vc) {
        return vc.free.is_free_at(at) && has_room(vc, link, length, timing::policy_of(kClass));
    };
    const bool is_first_free = is_free(group.vcs[0]);
    // Prefer the VC with an empty buffer.
    if (is_first_free && group.vcs[0].blocked_bytes == 0) {
        return 0;
    }
    return is_free(group.vcs[1]) ? 1 : is_first_free ? 0 : kNoVc;
}

// Skips buffers that fill_buffers() has just filled: emptying and refilling one would give the same
// share.
inline void VirtualChannels::empty_buffers(const NocPacket& packet, std::uint32_t first,
                                           std::uint32_t head) {
    for (std::uint32_t hop = first; hop + 1 < head; ++hop) {
        const VcGroup group = packet.route.group_of(hop);
        RouterBuffer::give_back(link(group), state_of(group).vcs[packet.vc_of(hop)].shared_taken);
    }
}

// The body is as long as the buffers that it fills. A packet of 8 KiB spans 16 routers of 512 B
// each, one of 1 KiB two, and more where other packets have taken the shared bytes. That is why one
// blocked packet blocks others that never come near its end.
inline std::uint32_t VirtualChannels::fill_buffers(NocPacket& packet) {
    const std::uint32_t last = packet.head - 1;
    const std::uint32_t length = packet.length;
    const VcGroup group = packet.route.group_of(last);
    Vc& vc = state_of(group).vcs[packet.vc_of(last)];
    const std::uint32_t of_others =
        vc.blocked_bytes > 0 ? router_buffer_.flit() + vc.shared_taken : 0;
    vc.blocked_bytes += std::min(length, router_buffer_.channel());
    std::uint32_t filled =
        router_buffer_.fill(link(group), vc.shared_taken, vc.blocked_bytes) - of_others;
    std::uint32_t first = last;
    while (filled < length && first > packet.filled) {
        --first;
        const VcGroup behind = packet.route.group_of(first);
        filled += router_buffer_.fill(
            link(behind), state_of(behind).vcs[packet.vc_of(first)].shared_taken, length - filled);
    }
    packet.filled = first;
    return first == last && filled >= length ? packet.head : first;
}

// The packet releases the links that its tail has passed. It keeps those between tail and head, and
// so blocks packets that have another destination.
inline void VirtualChannels::hold_vcs(Transfer& transfer, std::uint32_t tail, Millicycles now,
                                      EventQueue& queue) {
    NocPacket& packet = transfer.noc_packet();
    for (; packet.tail < std::min(tail, packet.held); ++packet.tail) {
        release_vc(packet, packet.tail, {now, packet.waits_for}, now, queue);
    }
    for (std::uint32_t hop = std::max(packet.held, tail); hop < packet.head; ++hop) {
        vc_of(packet, hop).free = VcAvailability::held_by(transfer.id);
    }
    packet.held = tail < packet.head ? packet.head : 0;
    packet.tail = tail;
}

inline void VirtualChannels::occupy(Transfer& transfer, std::uint32_t hop, Millicycles now,
                                    EventQueue& queue) {
    NocPacket& packet = transfer.noc_packet();
    const std::uint32_t old_head = packet.head;
    const std::uint32_t old_first = packet.filled;
    packet.head = hop;
    if (hop == 0) {
        return;
    }
    const std::uint32_t tail = fill_buffers(packet);
    empty_buffers(packet, old_first, std::min(packet.filled + 1, old_head));
    // A link that the tail has passed stays released, even if buffers are so short now that the
    // body fills the one behind it.
    hold_vcs(transfer, std::max(packet.tail, tail), now, queue);
    packet.is_blocked = true;
    if (hop < packet.route.size()) {
        Vc& vc = vc_of(packet, hop - 1);
        packet.next_behind = kNoTransfer;
        (vc.first == kNoTransfer ? vc.first : packet_of(vc.last).next_behind) = transfer.id;
        vc.last = transfer.id;
    }
}

[[gnu::always_inline]] inline VirtualChannels::Released VirtualChannels::leave_buffer_and_queue(
    Transfer& transfer, Millicycles now, EventQueue& queue) {
    NocPacket& packet = transfer.noc_packet();
    Released released;
    if (packet.is_queued) {
        released.queue = packet.route.group_of(packet.head);
        dequeue(transfer, released.queue, packet.route.input_of(packet.head));
    }
    if (!packet.is_blocked) {
        return released;
    }
    packet.is_blocked = false;
    const std::uint32_t hop = packet.head - 1;
    released.buffer = packet.route.group_of(hop);
    Vc& vc = state_of(released.buffer).vcs[packet.vc_of(hop)];
    vc.blocked_bytes -= std::min(packet.length, router_buffer_.channel());
    router_buffer_.fill(link(released.buffer), vc.shared_taken, vc.blocked_bytes);
    if (packet.head < packet.route.size()) {
        vc.first = packet.next_behind;
        if (vc.first != kNoTransfer) {
            NocPacket& next = packet_of(vc.first);
            next.note_cause(packet.waits_for);
            push_stage(queue, std::max(now, next.reach), vc.first);
        }
    }
    return released;
}

void VirtualChannels::grant_released(Released released, ResourceKind cause, Millicycles now,
                                     EventQueue& queue) {
    if (released.queue != kNoVcGroup) {
        grant_next(released.queue, now, queue);
    }
    if (released.buffer != kNoVcGroup) {
        grant_next(released.buffer, now, queue, cause);
    }
}

void VirtualChannels::release_vc(const NocPacket& packet, std::uint32_t hop, const Tail& tail,
                                 Millicycles now, EventQueue& queue) {
    const VcGroup number = packet.route.group_of(hop);
    const std::uint32_t vc = packet.vc_of(hop);
    Group& group = state_of(number);
    group.vcs[vc].free = VcAvailability::from(tail.time);
    group.causes[vc] = tail.cause;
    grant_next(number, now, queue, tail.cause);
}

void VirtualChannels::block(Transfer& transfer, std::uint32_t hop, Millicycles now,
                            EventQueue& queue) {
    NocPacket& packet = transfer.noc_packet();
    const VcGroup group = packet.route.group_of(hop);
    if (packet.is_queued && hop == packet.head) {
        packet.waits_for = cause_of_wait(transfer, hop, kNoTransfer);
        revoke_grant(group);  // another packet took the VC or the wire; arbitrate again
        grant_next(group, now, queue);
        return;
    }
    Released released;
    const ResourceKind old_cause = packet.waits_for;
    TransferId ahead = kNoTransfer;  // in the same buffer
    if (hop != packet.head || !packet.is_blocked) {
        released = leave_buffer_and_queue(transfer, now, queue);
        ahead = hop > 0 ? vc_of(packet, hop - 1).first : kNoTransfer;
        occupy(transfer, hop, now, queue);
    }
    packet.waits_for =
        cause_of_wait(transfer, hop, ahead != kNoTransfer ? ahead : first_of(state_of(group)));
    // A packet behind another one gets its event when that one leaves the buffer.
    if (ahead == kNoTransfer) {
        transfer.wait_duration = packet.route.duration_of(packet.route.kind_of(hop));
        enqueue(transfer, group, packet.route.input_of(hop));
    }
    grant_released(released, old_cause, now, queue);
    grant_next(group, now, queue);
}

template <PacketClass kClass>
[[gnu::always_inline]] inline std::uint32_t VirtualChannels::allocate_vc(
    const Head& head, std::uint32_t length, const Group& group,
    const Resource& link) const noexcept {
    // A packet that has been granted the wire on another VC goes first.
    const bool is_wire_granted = timing::policy_of(kClass).takes_wire && link.num_granted != 0;
    const bool is_in_front = head.is_first || (group.num_waiting == 0 && !is_wire_granted);
    return is_in_front ? free_vc<kClass>(group, link, head.at, length) : kNoVc;
}

template <PacketClass kClass, HopKind kHop>
[[gnu::always_inline]] inline Millicycles VirtualChannels::book(const UnicastRoute& route,
                                                                std::uint32_t bytes, Millicycles at,
                                                                Resource& link) const {
    if constexpr (!timing::policy_of(kClass).takes_wire) {
        return at;
    }
    const Millicycles duration = route.duration_of(kHop);
    // The router's buffer holds what arrives during a wait of this length: links behind it are not
    // affected.
    const Millicycles begin = link.calendar.book_within(at, duration, at + buffer_time_);
    if (begin != kBlocked) {
        link.occupy(duration, bytes);
    }
    return begin;
}

// One function for all classes and hops, compiled for each: nearly all hops of a replay go through
// it. Inlined, so that the sums of the head stay in registers.
template <PacketClass kClass, HopKind kHop>
[[gnu::always_inline]] inline VirtualChannels::HopResult VirtualChannels::pass(NocPacket& packet,
                                                                               std::uint32_t bytes,
                                                                               Head& head) {
    constexpr PacketPolicy kPolicy = timing::policy_of(kClass);
    const VcGroup number = packet.route.group_of(head.hop);
    const Group& group = state_of(number);
    Resource& link = this->link(number);
    if (kPolicy.takes_slot && kHop == HopKind::Ejection && link.free_requests == 0) {
        return HopResult::Refused;
    }
    const std::uint32_t vc = allocate_vc<kClass>(head, packet.length, group, link);
    const Millicycles begin =
        vc == kNoVc ? kBlocked : book<kClass, kHop>(packet.route, bytes, head.at, link);
    if (begin == kBlocked) {
        return HopResult::Refused;
    }
    if constexpr (kHop == HopKind::Injection) {
        packet.departs = begin + packet.route.injection;
    }
    head.delayed += begin - head.at;
    head.at = begin + (kHop == HopKind::Link ? hop_ : interface_);
    head.vcs |= std::uint64_t{vc} << head.hop++;
    head.is_first = false;
    if (kPolicy.takes_wire && kHop != HopKind::Ejection && link.shared_taken > head.enough) {
        // `injection`, not duration_of(): a port's slot delays the next packet, not these bytes.
        const Millicycles duration =
            kHop == HopKind::Injection ? packet.route.injection : packet.route.link;
        packet.throttled = std::max(packet.throttled, router_buffer_.throttled(link, duration));
    }
    return kHop == HopKind::Ejection || group.vcs[vc].first == kNoTransfer ? HopResult::Passed
                                                                           : HopResult::Behind;
}

VirtualChannels::Advance VirtualChannels::advance(Transfer& transfer, Start start,
                                                  EventQueue& queue) {
    switch (transfer.noc_packet().packet_class) {
        case PacketClass::Request:
            return advance_as<PacketClass::Request>(transfer, start, queue);
        case PacketClass::Answer:
            return advance_as<PacketClass::Answer>(transfer, start, queue);
        case PacketClass::Data:
            break;
    }
    return advance_as<PacketClass::Data>(transfer, start, queue);
}

template <PacketClass kClass>
VirtualChannels::Advance VirtualChannels::advance_as(Transfer& transfer, Start start,
                                                     EventQueue& queue) {
    constexpr PacketPolicy kPolicy = timing::policy_of(kClass);
    NocPacket& packet = transfer.noc_packet();
    if (packet.is_queued || packet.is_blocked) {
        transfer.spend(packet.waits_for, start.now);
    }
    const std::uint32_t last = packet.route.last();
    const std::uint32_t bytes = transfer.packet_bytes;
    Head head{.at = start.begin,
              .vcs = packet.vcs & ((1ULL << packet.head) - 1),
              .hop = packet.head,
              .enough = router_buffer_.most_taken(packet.length),
              .is_first = packet.is_queued};
    HopResult result = HopResult::Passed;
    if (head.hop == 0) {
        result = pass<kClass, HopKind::Injection>(packet, bytes, head);
    }
    while (result == HopResult::Passed && head.hop < last) {
        result = pass<kClass, HopKind::Link>(packet, bytes, head);
    }
    if (result == HopResult::Passed) {
        result = pass<kClass, HopKind::Ejection>(packet, bytes, head);
    }
    packet.vcs = head.vcs;
    packet.delayed = head.delayed;
    packet.reach = head.at;
    if (result == HopResult::Passed) {
        if constexpr (kPolicy.takes_slot) {
            const LinkId port = packet.route.link_of(last);
            transfer.as<Read>().port = port;
            --links_[index_of(port)].free_requests;
        }
        return {head.at, leave_buffer_and_queue(transfer, start.now, queue)};
    }
    if (result == HopResult::Refused && start.begin > start.now) {
        // The packet holds nothing yet. If it has booked wires it comes back where it stopped. A
        // request starts again at its source, because requests on their way would otherwise find
        // more room in buffers than there is.
        packet.head = kPolicy.takes_wire ? head.hop : 0;
        push_stage(queue, kPolicy.takes_wire ? head.at : start.begin, transfer.id);
    } else {
        block(transfer, head.hop, start.now, queue);
    }
    return {};
}

void VirtualChannels::hold_at_end(Transfer& transfer, Released released, ResourceKind waits_for,
                                  Millicycles now, EventQueue& queue) {
    NocPacket& packet = transfer.noc_packet();
    const ResourceKind old_cause = std::exchange(packet.waits_for, waits_for);
    occupy(transfer, packet.route.size(), now, queue);
    // Grants come last: the packet must first have its VCs and its room in the buffer.
    grant_released(released, old_cause, now, queue);
}

// Inlined, as pass().
[[gnu::always_inline]] inline Millicycles VirtualChannels::release_vcs(
    Transfer& transfer, const Drain& drain, bool is_slow, Millicycles now, EventQueue& queue) {
    NocPacket& packet = transfer.noc_packet();
    const UnicastRoute& route = packet.route;
    Millicycles departs = packet.departs;
    // If the path is slower further on (a DRAM bank), routers of the route buffer what has left the
    // sender, and VCs near the sender are free before the last byte is through.
    const Millicycles buffered =
        drain.duration * router_buffer_.channel() / std::max(1U, transfer.packet_bytes);
    const ResourceKind cause = is_slow ? transfer.slowest_kind : packet.waits_for;
    const std::uint32_t first = packet.held > 0 ? packet.tail : packet.head;
    const std::uint32_t end = is_slow ? route.size() : packet.held;
    for (std::uint32_t hop = first; hop < end; ++hop) {
        const auto links = static_cast<Millicycles>(route.last() - hop);
        const auto behind = static_cast<Millicycles>(packet.held) - hop;
        const Millicycles streamed = behind > 0
                                         ? std::max(now, now + route.link - behind * buffer_time_)
                                         : drain.begin - interface_ - links * hop_ + route.link;
        const Millicycles tail =
            std::max(streamed, drain.begin + drain.duration - interface_ - links * buffered);
        if (hop == 0) {
            departs = std::max(departs, tail);
        }
        if (behind > 0) {
            release_vc(packet, hop, {tail, cause}, now, queue);
        } else if (Vc& vc = vc_of(packet, hop); vc.free < VcAvailability::from(tail)) {
            vc.free = VcAvailability::from(tail);
            state_of(route.group_of(hop)).causes[packet.vc_of(hop)] = cause;
        }
    }
    return departs;
}

Millicycles VirtualChannels::release(Transfer& transfer, Released released, const Drain& drain,
                                     Millicycles now, EventQueue& queue) {
    NocPacket& packet = transfer.noc_packet();
    // A packet that was held at the end of its route is in a buffer until now.
    const Released left =
        packet.is_blocked ? leave_buffer_and_queue(transfer, now, queue) : released;
    const bool is_slow = drain.duration > std::max(packet.route.link, packet.route.injection);
    empty_buffers(packet, packet.filled, packet.head);
    const Millicycles departs = is_slow || packet.held > 0
                                    ? release_vcs(transfer, drain, is_slow, now, queue)
                                    : packet.departs;
    packet.head = 0;
    packet.held = 0;
    packet.tail = 0;
    packet.filled = 0;
    packet.throttled = 0;
    const ResourceKind cause = std::exchange(packet.waits_for, ResourceKind::None);
    grant_released(left, cause, now, queue);
    return departs;
}

}  // namespace tessera::timing
