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
    const ResourceKind kind = resources_.kind(number);
    // A stream of one kind would starve the other: a bank once served four reads for each write. A
    // router looks at what it has received and at what it is to send in turn.
    const auto is_common = [kind](const Transfer& waiting) {
        return kind == ResourceKind::MeshLink ? waiting.stage == TransferStage::LinkReceive
                                              : waiting.request.kind == RequestKind::Read;
    };
    const bool alternates = kind == ResourceKind::Dram || kind == ResourceKind::MeshLink;
    if (!alternates || is_common(transfer)) {
        return resource.last_waiting;
    }
    std::uint32_t ahead = resource.first_waiting;
    for (std::uint32_t next = transfers_[ahead].next_waiting; next != kNone;
         next = transfers_[ahead].next_waiting) {
        if (is_common(transfers_[ahead]) && is_common(transfers_[next])) {
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
    if (transfer.waiting_on != kNone) {
        transfer.spend(resources_.kind(transfer.waiting_on), now);
        dequeue(number, now, queue);
    }
    return true;
}

template bool ResourceQueues::try_start(std::uint32_t, const PacketPath&, std::uint32_t,
                                        Millicycles, EventQueue&);
template bool ResourceQueues::try_start(std::uint32_t, const BankPath&, std::uint32_t, Millicycles,
                                        EventQueue&);

}  // namespace tessera::timing
