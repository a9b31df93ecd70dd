// SPDX-License-Identifier: Apache-2.0
// Times at which a counter reached each of its values: pages pushed to a CB, halves of DST
// committed.
//
// The thread that raises a counter and the thread that waits for it are replayed independently, in
// any order on the host. Therefore they exchange the time at which each value was reached, not a
// value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Event that raised a counter to `total`.
struct CounterStep {
    std::uint64_t total = 0;
    Millicycles time = 0;
    std::uint32_t thread = kNoThread;
    std::uint16_t site = 0;
};

/// Queue of steps in a ring that grows. std::deque would allocate a block for every 21 steps.
class StepQueue {
public:
    [[nodiscard]] bool empty() const noexcept { return first_ == end_; }
    void push(const CounterStep& step) {
        if (end_ - first_ == ring_.size()) {
            grow();
        }
        ring_[end_++ & (ring_.size() - 1)] = step;
    }
    /// Precondition   not empty.
    CounterStep pop() noexcept { return ring_[first_++ & (ring_.size() - 1)]; }

private:
    static constexpr std::size_t kFirstSize = 8;

    void grow() {
        std::vector<CounterStep> larger(ring_.empty() ? kFirstSize : 2 * ring_.size());
        std::size_t count = 0;
        while (!empty()) {
            larger[count++] = pop();
        }
        ring_ = std::move(larger);
        first_ = 0;
        end_ = count;
    }

    std::vector<CounterStep> ring_;  ///< its size is a power of two
    std::size_t first_ = 0;          ///< number of the oldest step
    std::size_t end_ = 0;
};

/// Counter with one producer and, almost always, one consumer. It asks for rising totals only, so
/// older steps are dropped and the history has only the steps that the producer is ahead.
class CounterHistory {
public:
    /// Raises the counter by `count`. Returns the waiting thread that this wakes, or kNoThread.
    std::uint32_t advance(std::uint64_t count, Millicycles time, std::uint32_t thread,
                          std::uint16_t site) {
        total_ += count;
        steps_.push({total_, time, thread, site});
        if (waiter_ == kNoThread || total_ < wanted_) {
            return kNoThread;
        }
        const std::uint32_t woken = waiter_;
        waiter_ = kNoThread;
        return woken;
    }

    /// Returns the step that raised the counter to `total`; nullptr if it has not been replayed
    /// yet.
    /// Precondition   `total` is not below that of the previous call.
    [[nodiscard]] const CounterStep* step_reaching(std::uint64_t total) {
        while (reached_.total < total && !steps_.empty()) {
            reached_ = steps_.pop();
        }
        return reached_.total >= total ? &reached_ : nullptr;
    }

    /// Registers `thread` to be woken when the counter reaches `total`. Two kernels may wait for the
    /// pages of one circular buffer: the one that was registered before is woken at each step.
    void wait(std::uint64_t total, std::uint32_t thread) {
        if (waiter_ != kNoThread && waiter_ != thread) {
            others_.push_back(waiter_);
        }
        wanted_ = total;
        waiter_ = thread;
    }

    /// Returns the other waiting threads and forgets them. Each asks again when it is woken.
    [[nodiscard]] std::vector<std::uint32_t> take_others() noexcept {
        return std::exchange(others_, {});
    }
    [[nodiscard]] bool has_others() const noexcept { return !others_.empty(); }

private:
    std::uint64_t total_ = 0;
    CounterStep reached_;
    StepQueue steps_;
    std::uint64_t wanted_ = 0;
    std::uint32_t waiter_ = kNoThread;
    std::vector<std::uint32_t> others_;  ///< beside `waiter_`; almost always empty
};

}  // namespace tessera::timing
