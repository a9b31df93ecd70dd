// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/resource_queues.hpp"

#include <algorithm>

namespace tessera::timing {

template <class Path>
ResourceQueues::Obstacle ResourceQueues::obstacle(const Transfer& transfer, const Path& path,
                                                  Millicycles now) {
    Obstacle last;
    // Queues in front of the one that a packet has come through count; those behind it were passed
    // when it was queued. Without this a woken packet would overtake those that wait further on.
    bool respects_queues = transfer.waiting_on == kNone;
    path.for_each([&](std::uint32_t number, Millicycles offset, Millicycles duration) {
        const Resource& resource = resources_[number];
        const Millicycles free = resource.calendar.earliest(now + offset, duration) - offset;
        if (number == transfer.waiting_on) {
            respects_queues = true;
        } else if (respects_queues && last.resource == kNone && resource.first_waiting != kNone) {
            last = {number, offset, duration, now};
        }
        // The resource that is free last: waiting for an earlier one would only mean to wait again.
        if (free > now && (last.resource == kNone || free > last.free)) {
            last = {number, offset, duration, free};
        }
    });
    return last;
}

void ResourceQueues::enqueue(std::uint32_t number, const Obstacle& obstacle, EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    Resource& resource = resources_[obstacle.resource];
    transfer.waiting_on = obstacle.resource;
    transfer.wait_offset = obstacle.offset;
    transfer.wait_duration = obstacle.duration;
    transfer.next_waiting = kNone;
    if (resource.first_waiting == kNone) {
        resource.first_waiting = number;
        queue.push(obstacle.free, QueueEvent::TransferStage, number);
        resource.last_waiting = number;
        return;
    }
    const std::uint32_t ahead = insertion_point(transfer, obstacle.resource);
    transfer.next_waiting = transfers_[ahead].next_waiting;
    transfers_[ahead].next_waiting = number;
    if (ahead == resource.last_waiting) {
        resource.last_waiting = number;
    }
}

std::uint32_t ResourceQueues::insertion_point(const Transfer& transfer, std::uint32_t number) {
    const Resource& resource = resources_[number];
    const auto is_read = [](const Transfer& waiting) {
        return waiting.request.kind == RequestKind::Read;
    };
    // A stream of one kind would starve the other: a bank once served four reads for each write.
    if (resources_.kind(number) != ResourceKind::Dram || is_read(transfer)) {
        return resource.last_waiting;
    }
    std::uint32_t ahead = resource.first_waiting;
    for (std::uint32_t next = transfers_[ahead].next_waiting; next != kNone;
         next = transfers_[ahead].next_waiting) {
        if (is_read(transfers_[ahead]) && is_read(transfers_[next])) {
            break;
        }
        ahead = next;
    }
    return ahead;
}

void ResourceQueues::dequeue(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    Resource& resource = resources_[transfer.waiting_on];
    resource.first_waiting = transfer.next_waiting;
    transfer.waiting_on = kNone;
    if (resource.first_waiting == kNone) {
        resource.last_waiting = kNone;
        return;
    }
    // Only the first of a queue has an event: the others come with it, one after the other, so a
    // full link costs an event per packet and not one per packet that waits.
    const Transfer& next = transfers_[resource.first_waiting];
    const Millicycles free = resource.calendar.earliest(now + next.wait_offset, next.wait_duration);
    queue.push(free - next.wait_offset, QueueEvent::TransferStage, resource.first_waiting);
}

Millicycles ResourceQueues::book_cut_through(std::uint32_t number, const PacketPath& path,
                                             std::uint32_t bytes, Millicycles begin) {
    Transfer& transfer = transfers_[number];
    // Response packets are given their virtual channel at each hop anew (WormholeB0/NoC/README.md),
    // so one that is blocked does not hold the links behind it. Buffers are taken to have no end.
    // Taking the whole path at once, or queueing at each link, cost ten events a packet where links
    // are full; booking as they come is one (0.6 to 1.15 M events/s of a large replay) and took the
    // error of saturated DRAM on Wormhole from 13.3 to 8.0 %.
    const UnicastSegment& route = path.unicast();
    const std::uint32_t port = route.resource_of(0);
    resources_.occupy(port, route.injection, bytes);
    const Millicycles waited = resources_[port].calendar.book_first(begin, route.injection) - begin;
    transfer.transit[static_cast<std::size_t>(ResourceKind::NocInjection)] += waited;
    return waited + book_past_injection(number, path, bytes, begin + waited);
}

Millicycles ResourceQueues::book_past_injection(std::uint32_t number, const PacketPath& path,
                                                std::uint32_t bytes, Millicycles begin) {
    Transfer& transfer = transfers_[number];
    const UnicastSegment& route = path.unicast();
    // Inlined by force: passing links was 21 % of a large replay, more than anything else.
    const auto pass_one = [ this, bytes ](std::uint32_t passed, Millicycles at,
                                          Millicycles duration) __attribute__((always_inline)) {
        resources_.occupy(passed, duration, bytes);
        return resources_[passed].calendar.book_first(at, duration);
    };
    const std::size_t last = route.channels.size() - 1;
    const Millicycles undelayed = begin + route.interface - path.origin();
    Millicycles at = undelayed;
    for (std::size_t i = 1; i < last; ++i) {
        at = pass_one(route.resource_of(i), at, route.link) + route.hop;
    }
    const Millicycles on_links = at - undelayed - static_cast<Millicycles>(last - 1) * route.hop;
    const Millicycles at_port = pass_one(route.resource_of(last), at, route.ejection) - at;
    transfer.transit[static_cast<std::size_t>(ResourceKind::NocLink)] += on_links;
    transfer.transit[static_cast<std::size_t>(ResourceKind::NocEjection)] += at_port;
    transfer.stamp = begin + on_links + at_port;
    return on_links + at_port;
}

void ResourceQueues::wait_for(const Obstacle& obstacle, std::uint32_t number, Millicycles now,
                              EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    if (obstacle.resource == transfer.waiting_on) {
        transfer.wait_offset = obstacle.offset;
        transfer.wait_duration = obstacle.duration;
        queue.push(obstacle.free, QueueEvent::TransferStage, number);
        return;
    }
    if (transfer.waiting_on != kNone) {
        transfer.spend(resources_.kind(transfer.waiting_on), now);
        dequeue(number, now, queue);
    }
    enqueue(number, obstacle, queue);
}

template <class Path>
bool ResourceQueues::try_start(std::uint32_t number, const Path& path, std::uint32_t bytes,
                               Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const Obstacle found = obstacle(transfer, path, now);
    if (found.resource != kNone) {
        wait_for(found, number, now, queue);
        return false;
    }
    path.for_each([&](std::uint32_t taken, Millicycles offset, Millicycles duration) {
        resources_[taken].calendar.book(now + offset, duration);
        resources_.occupy(taken, duration, bytes);
    });
    const bool has_waited = transfer.waiting_on != kNone;
    transfer.spend(has_waited ? resources_.kind(transfer.waiting_on) : ResourceKind::NocInjection,
                   now);
    if (has_waited) {
        dequeue(number, now, queue);
    }
    return true;
}

template bool ResourceQueues::try_start(std::uint32_t, const PacketPath&, std::uint32_t,
                                        Millicycles, EventQueue&);
template bool ResourceQueues::try_start(std::uint32_t, const BankPath&, std::uint32_t, Millicycles,
                                        EventQueue&);

}  // namespace tessera::timing
