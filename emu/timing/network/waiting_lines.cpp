// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/waiting_lines.hpp"

#include <algorithm>

namespace tessera::timing {

WaitingLines::Obstacle WaitingLines::obstacle(const Transfer& transfer, const PacketPath& path,
                                              Millicycles now) {
    Obstacle last;
    // Lines ahead of the one it has come through count; those behind it had their turn.
    bool respects_lines = transfer.waiting_on == kNobody;
    path.for_each([&](std::uint32_t number, Millicycles offset, Millicycles duration) {
        const Resource& resource = resources_[number];
        const Millicycles free = resource.calendar.earliest(now + offset, duration) - offset;
        if (number == transfer.waiting_on) {
            respects_lines = true;
        } else if (respects_lines && last.resource == kNobody &&
                   resource.first_waiting != kNobody) {
            last = {number, offset, duration, now};
        }
        if (free > now && (last.resource == kNobody || free > last.free)) {
            last = {number, offset, duration, free};
        }
    });
    return last;
}

void WaitingLines::join(std::uint32_t number, const Obstacle& obstacle, EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    Resource& resource = resources_[obstacle.resource];
    transfer.waiting_on = obstacle.resource;
    transfer.wait_offset = obstacle.offset;
    transfer.wait_duration = obstacle.duration;
    transfer.next_waiting = kNobody;
    if (resource.first_waiting == kNobody) {
        resource.first_waiting = number;
        queue.push(obstacle.free, QueueEvent::TransferStage, number);
        resource.last_waiting = number;
        return;
    }
    const std::uint32_t ahead = place_in_line(transfer, resource);
    transfer.next_waiting = transfers_[ahead].next_waiting;
    transfers_[ahead].next_waiting = number;
    if (ahead == resource.last_waiting) {
        resource.last_waiting = number;
    }
}

std::uint32_t WaitingLines::place_in_line(const Transfer& transfer, const Resource& resource) {
    const auto is_read = [](const Transfer& waiting) {
        return waiting.request.kind == RequestKind::Read;
    };
    if (resource.kind != ResourceKind::Dram || is_read(transfer)) {
        return resource.last_waiting;
    }
    std::uint32_t ahead = resource.first_waiting;
    for (std::uint32_t next = transfers_[ahead].next_waiting; next != kNobody;
         next = transfers_[ahead].next_waiting) {
        if (is_read(transfers_[ahead]) && is_read(transfers_[next])) {
            break;
        }
        ahead = next;
    }
    return ahead;
}

void WaitingLines::leave(std::uint32_t number, Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    Resource& resource = resources_[transfer.waiting_on];
    resource.first_waiting = transfer.next_waiting;
    transfer.waiting_on = kNobody;
    if (resource.first_waiting == kNobody) {
        resource.last_waiting = kNobody;
        return;
    }
    const Transfer& next = transfers_[resource.first_waiting];
    const Millicycles free = resource.calendar.earliest(now + next.wait_offset, next.wait_duration);
    queue.push(free - next.wait_offset, QueueEvent::TransferStage, resource.first_waiting);
}

auto WaitingLines::passing(Transfer& transfer, std::uint32_t bytes, Millicycles& delay,
                           Millicycles start) {
    return [&, bytes, start ](std::uint32_t passed, Millicycles offset, Millicycles duration)
        __attribute__((always_inline)) {
        Resource& resource = resources_[passed];
        const Millicycles begin = start + offset + delay;
        const Millicycles waited = resource.calendar.take_first(begin, duration) - begin;
        transfer.transit[static_cast<std::size_t>(resource.kind)] += waited;
        delay += waited;
        resource.busy += duration;
        resource.bytes += bytes;
    };
}

Millicycles WaitingLines::pass(std::uint32_t number, const PacketPath& path, std::uint32_t bytes,
                               Millicycles begin) {
    Millicycles delay = 0;
    path.for_each(passing(transfers_[number], bytes, delay, begin));
    transfers_[number].stamp = begin + delay;
    return delay;
}

Millicycles WaitingLines::pass_behind_first(std::uint32_t number, const PacketPath& path,
                                            std::uint32_t bytes, Millicycles begin) {
    Millicycles delay = 0;
    path.for_each_behind_first(passing(transfers_[number], bytes, delay, begin));
    transfers_[number].stamp = begin + delay;
    return delay;
}

bool WaitingLines::try_start(std::uint32_t number, const PacketPath& path, std::uint32_t bytes,
                             Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const Obstacle found = obstacle(transfer, path, now);
    if (found.resource != kNobody) {
        if (found.resource == transfer.waiting_on) {
            transfer.wait_offset = found.offset;
            transfer.wait_duration = found.duration;
            queue.push(found.free, QueueEvent::TransferStage, number);
            return false;
        }
        if (transfer.waiting_on != kNobody) {
            transfer.spend(resources_.kind(transfer.waiting_on), now);
            leave(number, now, queue);
        }
        join(number, found, queue);
        return false;
    }
    path.for_each([&](std::uint32_t taken, Millicycles offset, Millicycles duration) {
        Resource& resource = resources_[taken];
        resource.calendar.take(now + offset, duration);
        resource.busy += duration;
        resource.bytes += bytes;
    });
    const bool has_waited = transfer.waiting_on != kNobody;
    transfer.spend(has_waited ? resources_.kind(transfer.waiting_on) : ResourceKind::NocInjection,
                   now);
    if (has_waited) {
        leave(number, now, queue);
    }
    return true;
}

}  // namespace tessera::timing
