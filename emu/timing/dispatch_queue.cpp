// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/dispatch_queue.hpp"

#include <algorithm>

namespace tessera::timing {

DispatchQueue::DispatchQueue(const TimingSpec& timing) : times_(timing) {
}

/// Removes the programs whose space the next one needs, and returns when dispatch knows that they
/// have ended. A ring frees its oldest entries first, so all programs before such a program are
/// removed.
Millicycles DispatchQueue::space_free_at(std::uint64_t config_bytes) {
    std::uint64_t filled = config_bytes;
    for (std::size_t i = 0; i < residents_.size(); ++i) {
        filled += residents_[i].config_bytes;
        if (filled > times_.config_ring || i + 1 >= times_.launch_messages) {
            const Millicycles end = residents_[i].known_end;
            residents_.resize(i);
            return end;
        }
    }
    return 0;
}

Millicycles DispatchQueue::host_read_end() const {
    return last_end_ ? *last_end_ + times_.host_read : 0;
}

Millicycles DispatchQueue::start_of(const DispatchWork& work, Millicycles enqueued) {
    // The latest time counts, not the sum: the stages work on different programs at once, so a
    // series of short programs takes the longer stage for each (pgm_dispatch_golden.json).
    const Millicycles go = last_end_ ? *last_end_ + times_.program_gap : 0;
    // Dispatch cannot write a program ahead that the host has not enqueued.
    prefetched_ = std::max(prefetched_, enqueued);
    dispatched_ = std::max(dispatched_, enqueued);
    prefetched_ += work.prefetch;
    dispatched_ = std::max(dispatched_, space_free_at(work.config_bytes)) + work.dispatch;
    next_bytes_ = work.config_bytes;
    return std::max({prefetched_, dispatched_, go});
}

void DispatchQueue::ended(Millicycles time) {
    last_end_ = time;
    // Dispatch learns of an end no earlier than it could start the next program.
    residents_.push_front({next_bytes_, time + times_.program_gap});
}

}  // namespace tessera::timing
