// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/waiting_lines.hpp"

#include <algorithm>

namespace tessera::timing {

template <class Path>
WaitingLines::Obstacle WaitingLines::obstacle(const Transfer& transfer, const Path& path,
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
    const std::uint32_t ahead = place_in_line(transfer, obstacle.resource);
    transfer.next_waiting = transfers_[ahead].next_waiting;
    transfers_[ahead].next_waiting = number;
    if (ahead == resource.last_waiting) {
        resource.last_waiting = number;
    }
}

std::uint32_t WaitingLines::place_in_line(const Transfer& transfer, std::uint32_t number) {
    const Resource& resource = resources_[number];
    const auto is_read = [](const Transfer& waiting) {
        return waiting.request.kind == RequestKind::Read;
    };
    if (resources_.kind(number) != ResourceKind::Dram || is_read(transfer)) {
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

Millicycles WaitingLines::pass(std::uint32_t number, const PacketPath& path, std::uint32_t bytes,
                               Millicycles begin) {
    Transfer& transfer = transfers_[number];
    const PathRun& run = path.run();
    const std::uint32_t port = run.resource_of(0);
    resources_.occupy(port, run.injection, bytes);
    const Millicycles waited = resources_[port].calendar.take_first(begin, run.injection) - begin;
    transfer.transit[static_cast<std::size_t>(ResourceKind::NocInjection)] += waited;
    return waited + pass_behind_first(number, path, bytes, begin + waited);
}

Millicycles WaitingLines::pass_behind_first(std::uint32_t number, const PacketPath& path,
                                            std::uint32_t bytes, Millicycles begin) {
    Transfer& transfer = transfers_[number];
    const PathRun& run = path.run();
    const auto pass_one = [ this, bytes ](std::uint32_t passed, Millicycles at,
                                          Millicycles duration) __attribute__((always_inline)) {
        resources_.occupy(passed, duration, bytes);
        return resources_[passed].calendar.take_first(at, duration);
    };
    const std::size_t last = run.channels.size() - 1;
    const Millicycles undelayed = begin + run.interface - path.origin();
    Millicycles at = undelayed;
    for (std::size_t i = 1; i < last; ++i) {
        at = pass_one(run.resource_of(i), at, run.link) + run.hop;
    }
    const Millicycles on_links = at - undelayed - static_cast<Millicycles>(last - 1) * run.hop;
    const Millicycles at_port = pass_one(run.resource_of(last), at, run.ejection) - at;
    transfer.transit[static_cast<std::size_t>(ResourceKind::NocLink)] += on_links;
    transfer.transit[static_cast<std::size_t>(ResourceKind::NocEjection)] += at_port;
    transfer.stamp = begin + on_links + at_port;
    return on_links + at_port;
}

void WaitingLines::wait_for(const Obstacle& obstacle, std::uint32_t number, Millicycles now,
                            EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    if (obstacle.resource == transfer.waiting_on) {
        transfer.wait_offset = obstacle.offset;
        transfer.wait_duration = obstacle.duration;
        queue.push(obstacle.free, QueueEvent::TransferStage, number);
        return;
    }
    if (transfer.waiting_on != kNobody) {
        transfer.spend(resources_.kind(transfer.waiting_on), now);
        leave(number, now, queue);
    }
    join(number, obstacle, queue);
}

template <class Path>
bool WaitingLines::try_start(std::uint32_t number, const Path& path, std::uint32_t bytes,
                             Millicycles now, EventQueue& queue) {
    Transfer& transfer = transfers_[number];
    const Obstacle found = obstacle(transfer, path, now);
    if (found.resource != kNobody) {
        wait_for(found, number, now, queue);
        return false;
    }
    path.for_each([&](std::uint32_t taken, Millicycles offset, Millicycles duration) {
        resources_[taken].calendar.take(now + offset, duration);
        resources_.occupy(taken, duration, bytes);
    });
    const bool has_waited = transfer.waiting_on != kNobody;
    transfer.spend(has_waited ? resources_.kind(transfer.waiting_on) : ResourceKind::NocInjection,
                   now);
    if (has_waited) {
        leave(number, now, queue);
    }
    return true;
}

template bool WaitingLines::try_start(std::uint32_t, const PacketPath&, std::uint32_t, Millicycles,
                                      EventQueue&);
template bool WaitingLines::try_start(std::uint32_t, const BankPath&, std::uint32_t, Millicycles,
                                      EventQueue&);

}  // namespace tessera::timing
