// SPDX-License-Identifier: Apache-2.0
// A count that one thread raises and another waits for: pages of a CB, halves of DST. Both go
// through their events in their own order, whichever is replayed first; what is handed over is the
// time at which each number was reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// The act that brought a count to `total`.
struct Gift {
    std::uint64_t total = 0;
    Millicycles time = 0;
    std::uint32_t thread = kNoThread;
    std::uint16_t site = 0;
};

/// First in, first out; a ring that grows.
class GiftQueue {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
    void push(const Gift& gift) {
        if (end_ - first_ == ring_.size()) {
            grow();
        }
        ring_[end_++ & (ring_.size() - 1)] = gift;
    }
    /// Precondition   not empty.
    Gift pop() noexcept { return ring_[first_++ & (ring_.size() - 1)]; }

private:
    static constexpr std::size_t kFirstSize = 8;

    void grow() {
        std::vector<Gift> larger(ring_.empty() ? kFirstSize : 2 * ring_.size());
        std::size_t count = 0;
        while (!empty()) {
            larger[count++] = pop();
        }
        ring_ = std::move(larger);
        first_ = 0;
        end_ = count;
    }

    std::vector<Gift> ring_;  ///< a power of two of places
    std::size_t first_ = 0;   ///< number of the gift that comes out next
    std::size_t end_ = 0;
};

class Handover {
public:
    /// Raises the count. Returns the thread that waited for this, or kNoThread.
    std::uint32_t give(std::uint64_t number, Millicycles time, std::uint32_t thread,
                       std::uint16_t site) {
        given_ += number;
        gifts_.push({given_, time, thread, site});
        if (waiter_ == kNoThread || given_ < needed_) {
            return kNoThread;
        }
        const std::uint32_t woken = waiter_;
        waiter_ = kNoThread;
        return woken;
    }

    /// The act that brought the count to `total`, or nullptr: not yet. Forgets acts before it.
    [[nodiscard]] const Gift* reach(std::uint64_t total) {
        while (taken_.total < total && !gifts_.empty()) {
            taken_ = gifts_.pop();
        }
        return taken_.total >= total ? &taken_ : nullptr;
    }

    /// Notes who wants to hear when the count has come to `total`.
    void wait(std::uint64_t total, std::uint32_t thread) noexcept {
        needed_ = total;
        waiter_ = thread;
    }

private:
    std::uint64_t given_ = 0;
    Gift taken_;
    GiftQueue gifts_;
    std::uint64_t needed_ = 0;
    std::uint32_t waiter_ = kNoThread;
};

}  // namespace tessera::timing
