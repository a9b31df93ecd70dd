// SPDX-License-Identifier: Apache-2.0
// A count that one thread raises and another waits for: pages of a CB, halves of DST. Both go
// through their events in their own order, whichever is replayed first; what is handed over is the
// time at which each number was reached.
#pragma once

#include <cstdint>
#include <deque>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// The act that brought a count to `total`.
struct Gift {
    std::uint64_t total = 0;
    Millicycles time = 0;
    std::uint32_t thread = kNoThread;
    std::uint16_t site = 0;
};

class Handover {
public:
    /// Raises the count. Returns the thread that waited for this, or kNoThread.
    std::uint32_t give(std::uint64_t number, Millicycles time, std::uint32_t thread,
                       std::uint16_t site) {
        given_ += number;
        gifts_.push_back({given_, time, thread, site});
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
            taken_ = gifts_.front();
            gifts_.pop_front();
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
    std::deque<Gift> gifts_;
    std::uint64_t needed_ = 0;
    std::uint32_t waiter_ = kNoThread;
};

}  // namespace tessera::timing
