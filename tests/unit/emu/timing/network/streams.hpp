// SPDX-License-Identifier: Apache-2.0
// Streams of transfers through a Transport without an engine. Each stream issues its requests in
// sequence, at a given interval.
#pragma once

#include <cstdint>
#include <map>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/transport.hpp"

namespace tessera::timing {

struct Stream {
    std::vector<Request> requests;
    Millicycles interval = 0;
    Millicycles begin = 0;
    std::uint32_t most_queued = 1U << 30U;  ///< issued and not departed
};

/// Times of one transfer's milestones; −1 if a milestone was not reached.
struct Times {
    Millicycles start = -1;
    Millicycles departed = -1;
    Millicycles delivered = -1;
    Millicycles acknowledged = -1;
    Millicycles slot_freed = -1;
    std::vector<Millicycles> sent;    ///< per packet except the last
    std::vector<Millicycles> passed;  ///< at the devices on the path
    Transit transit{};                ///< until the delivery
    [[nodiscard]] Millicycles end() const {
        return acknowledged > delivered ? acknowledged : delivered;
    }
};

class StreamRun {
public:
    StreamRun(const Machine& machine, std::vector<Stream> streams)
        : streams_(std::move(streams)),
          transport_(machine, {0, machine.mesh.shape.num_devices()}),
          cursors_(streams_.size()) {
        times.resize(streams_.size());
        for (std::uint32_t s = 0; s < streams_.size(); ++s) {
            times[s].resize(streams_[s].requests.size());
            queue_.push(streams_[s].begin, QueueEvent::ThreadReady, s);
        }
        while (!queue_.empty()) {
            const EventQueue::Entry entry = queue_.pop();
            if (entry.event == QueueEvent::ThreadReady) {
                issue(entry.subject, entry.time);
            } else {
                advance(TransferId{entry.subject}, entry.time);
            }
        }
    }

    [[nodiscard]] Millicycles end(std::size_t stream) const {
        Millicycles last = 0;
        for (const Times& t : times[stream]) {
            last = std::max(last, t.end());
        }
        return last;
    }
    [[nodiscard]] Millicycles end() const {
        Millicycles last = 0;
        for (std::size_t s = 0; s < times.size(); ++s) {
            last = std::max(last, end(s));
        }
        return last;
    }
    [[nodiscard]] std::vector<ResourceUse> uses() const { return transport_.uses(); }

    std::vector<std::vector<Times>> times;  ///< by stream and request
    std::uint64_t num_events = 0;

private:
    struct Owner {
        std::uint32_t stream = 0;
        std::uint32_t index = 0;
    };
    struct Cursor {
        std::uint32_t next = 0;
        std::uint32_t queued = 0;
        bool is_held = false;
    };

    void issue(std::uint32_t s, Millicycles now) {
        Cursor& cursor = cursors_[s];
        const Stream& stream = streams_[s];
        if (cursor.next == stream.requests.size()) {
            return;
        }
        const Request& request = stream.requests[cursor.next];
        cursor.is_held = cursor.queued >= stream.most_queued || !takes(request);
        if (cursor.is_held) {
            return;
        }
        cursor.queued += request.kind == RequestKind::Read ? 0 : 1;
        times[s][cursor.next].start = now;
        const std::uint32_t place = index_of(transport_.start(request, now, queue_));
        owners_.resize(std::max<std::size_t>(owners_.size(), place + 1));
        owners_[place] = {s, cursor.next};
        ++cursor.next;
        queue_.push(now + stream.interval, QueueEvent::ThreadReady, s);
    }

    void advance(TransferId id, Millicycles now) {
        ++num_events;
        const StageResult result = transport_.advance(id, now, queue_);
        if (result.milestone == Milestone::None) {
            return;
        }
        const Owner owner =
            owners_[index_of(result.milestone == Milestone::Passed ? result.started : id)];
        Times& t = times[owner.stream][owner.index];
        const Transit& transit = transport_.transit(id);
        if (std::accumulate(transit.begin(), transit.end(), Millicycles{0}) != now - t.start) {
            throw std::logic_error("transit does not add up to the time since the start");
        }
        switch (result.milestone) {
            case Milestone::PacketSent:
                t.sent.push_back(now);
                break;
            case Milestone::Departed:
                t.departed = now;
                --cursors_[owner.stream].queued;
                break;
            case Milestone::Delivered:
                t.delivered = now;
                t.transit = transit;
                break;
            case Milestone::Acknowledged:
                t.acknowledged = now;
                break;
            case Milestone::Passed:
                t.passed.push_back(now);
                break;
            default:
                t.slot_freed = now;
        }
        if (cursors_[owner.stream].is_held) {
            issue(owner.stream, now);
        }
    }

    bool takes(const Request& request) const {
        const Niu niu{request.device, request.core, request.noc};
        if (request.kind == RequestKind::Read) {
            return transport_.takes_read(niu, 1);
        }
        return request.is_posted || request.kind == RequestKind::Fabric ||
               transport_.takes_write(niu);
    }

    std::vector<Stream> streams_;
    EventQueue queue_;
    Transport transport_;
    std::vector<Cursor> cursors_;
    std::vector<Owner> owners_;
};

}  // namespace tessera::timing
