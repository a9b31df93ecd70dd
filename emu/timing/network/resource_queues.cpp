// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/resource_queues.hpp"

#include <algorithm>

namespace tessera::timing {

template <class Path>
ResourceQueues::Obstacle ResourceQueues::obstacle(const Transfer& transfer, const Path& path,
                                                  Millicycles now) {
    Obstacle last;
    // Queues on the path count up to the one that the packet has come through. It passed the queues
    // behind that one when it was queued. Otherwise a woken packet would overtake packets that wait
    // further on.
    bool respects_queues = transfer.waiting_on == kNoResource;
    path.for_each([&](ResourceId id, Millicycles offset, Millicycles duration) {
        const Resource& resource = resources_[id];
        const Millicycles free = resource.calendar.earliest(now + offset, duration) - offset;
        if (id == transfer.waiting_on) {
            respects_queues = true;
        } else if (respects_queues && last.resource == kNoResource &&
                   resource.first_waiting != kNoTransfer) {
            last = {id, offset, duration, now};
        }
        // Wait for the resource that is free last: behind an earlier one the packet would have to
        // wait a second time.
        if (free > now && (last.resource == kNoResource || free > last.free)) {
            last = {id, offset, duration, free};
        }
    });
    return last;
}

void ResourceQueues::enqueue(Transfer& transfer, const Obstacle& obstacle, EventQueue& queue) {
    Resource& resource = resources_[obstacle.resource];
    transfer.waiting_on = obstacle.resource;
    transfer.wait_offset = obstacle.offset;
    transfer.wait_duration = obstacle.duration;
    transfer.next_waiting = kNoTransfer;
    if (resource.first_waiting == kNoTransfer) {
        resource.first_waiting = transfer.id;
        push_stage(queue, obstacle.free, transfer.id);
        resource.last_waiting = transfer.id;
        return;
    }
    Transfer& ahead = insertion_point(transfer, obstacle.resource);
    transfer.next_waiting = ahead.next_waiting;
    ahead.next_waiting = transfer.id;
    if (ahead.id == resource.last_waiting) {
        resource.last_waiting = transfer.id;
    }
}

Transfer& ResourceQueues::insertion_point(const Transfer& transfer, ResourceId id) {
    const Resource& resource = resources_[id];
    const ResourceKind kind = resources_.kind(id);
    // A stream of one kind would starve the other: without alternation a bank served four reads for
    // each write. A mesh router alternates between packets received and packets to send.
    const auto is_common = [kind](const Transfer& waiting) {
        return kind == ResourceKind::MeshLink ? waiting.stage == TransferStage::LinkReceive
                                              : waiting.is_read();
    };
    const bool alternates = kind == ResourceKind::Dram || kind == ResourceKind::MeshLink;
    if (!alternates || is_common(transfer)) {
        return transfers_[resource.last_waiting];
    }
    // Insert between the first two neighbours of the common kind.
    Transfer* ahead = &transfers_[resource.first_waiting];
    while (ahead->next_waiting != kNoTransfer) {
        Transfer& next = transfers_[ahead->next_waiting];
        if (is_common(*ahead) && is_common(next)) {
            break;
        }
        ahead = &next;
    }
    return *ahead;
}

void ResourceQueues::dequeue(Transfer& transfer, Millicycles now, EventQueue& queue) {
    Resource& resource = resources_[transfer.waiting_on];
    resource.first_waiting = transfer.next_waiting;
    transfer.waiting_on = kNoResource;
    if (resource.first_waiting == kNoTransfer) {
        resource.last_waiting = kNoTransfer;
        return;
    }
    // Only the first transfer of a queue has an event, and it schedules the next: a full link costs
    // an event per packet and not one per packet that waits.
    const Transfer& next = transfers_[resource.first_waiting];
    const Millicycles free = resource.calendar.earliest(now + next.wait_offset, next.wait_duration);
    push_stage(queue, free - next.wait_offset, next.id);
}

void ResourceQueues::wait_for(const Obstacle& obstacle, Transfer& transfer, Millicycles now,
                              EventQueue& queue) {
    if (obstacle.resource == transfer.waiting_on) {
        transfer.wait_offset = obstacle.offset;
        transfer.wait_duration = obstacle.duration;
        push_stage(queue, obstacle.free, transfer.id);
        return;
    }
    if (transfer.waiting_on != kNoResource) {
        transfer.spend(resources_.kind(transfer.waiting_on), now);
        dequeue(transfer, now, queue);
    }
    enqueue(transfer, obstacle, queue);
}

template <class Path>
bool ResourceQueues::try_start(Transfer& transfer, const Path& path, std::uint32_t bytes,
                               Millicycles now, EventQueue& queue) {
    const Obstacle found = obstacle(transfer, path, now);
    if (found.resource != kNoResource) {
        wait_for(found, transfer, now, queue);
        return false;
    }
    path.for_each([&](ResourceId id, Millicycles offset, Millicycles duration) {
        Resource& taken = resources_[id];
        taken.calendar.book(now + offset, duration);
        taken.occupy(duration, bytes);
    });
    if (transfer.waiting_on != kNoResource) {
        transfer.spend(resources_.kind(transfer.waiting_on), now);
        dequeue(transfer, now, queue);
    }
    return true;
}

template bool ResourceQueues::try_start(Transfer&, const PacketPath&, std::uint32_t, Millicycles,
                                        EventQueue&);
template bool ResourceQueues::try_start(Transfer&, const BankPath&, std::uint32_t, Millicycles,
                                        EventQueue&);

}  // namespace tessera::timing
