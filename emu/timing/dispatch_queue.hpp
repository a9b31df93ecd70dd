// SPDX-License-Identifier: Apache-2.0
// Start times of one device's programs. Its dispatch cores write programs ahead, while others still
// run.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "emu/timing/cost/dispatch_cost.hpp"
#include "emu/timing/cost/times.hpp"
#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {

/// Prefetch, dispatch and workers are a pipeline. Dispatch writes a program while the one before
/// runs if workers have space for it: in the ring of kernel configurations and in that of launch
/// messages. Otherwise it waits until programs have ended.
/// Source   tt-metal tt_metal/impl/dispatch/worker_config_buffer.cpp, dev_msgs.h.
class DispatchQueue {
public:
    explicit DispatchQueue(const TimingSpec& timing);

    /// Returns when the host has read back the results of the programs so far, and enqueued the
    /// next one; 0 before the first.
    /// Precondition   each program so far has ended().
    [[nodiscard]] Millicycles host_read_end() const;
    /// Returns when the next program may start, which the host enqueued at `enqueued`. That is 0
    /// for a program in a trace, or one enqueued long before.
    /// Precondition   each program so far has ended().
    [[nodiscard]] Millicycles start_of(const DispatchWork& work, Millicycles enqueued = 0);
    /// Records that the program started last has ended at `time`.
    void ended(Millicycles time);

private:
    struct Resident {
        std::uint64_t config_bytes = 0;
        Millicycles known_end = 0;
    };
    [[nodiscard]] Millicycles space_free_at(std::uint64_t config_bytes);

    DispatchTimes times_;
    Millicycles prefetched_ = 0;  ///< when the prefetch stage has streamed all programs so far
    Millicycles dispatched_ = 0;
    std::deque<Resident> residents_;  ///< programs that may occupy a ring in L1, newest first
    std::uint64_t next_bytes_ = 0;    ///< configuration bytes of the program started last
    std::optional<Millicycles> last_end_;
};

}  // namespace tessera::timing
