// SPDX-License-Identifier: Apache-2.0
// Predicts the time of a run: its launches one after the other, each device's next program behind
// its last.
#pragma once

#include <span>
#include <vector>

#include "emu/timing/cost/dispatch_cost.hpp"
#include "emu/timing/dispatch_queue.hpp"
#include "emu/timing/identical_devices.hpp"
#include "emu/timing/replay.hpp"

namespace tessera::timing {

/// What a run keeps of each launch beside totals, zones and resources.
struct RunReplayOptions {
    bool keeps_intervals = true;
    bool keeps_cb_levels = false;
    std::uint64_t start_seed = 0;  ///< as ReplayOptions::start_seed
};

/// Takes launches one at a time, so that neither traces nor timelines need be kept.
///
/// A device's program begins when dispatch has handed it out (DispatchQueue), and not before the
/// one before has ended and the dispatch gap is over.
/// Programs of one launch begin independently; what they send each other joins them.
class RunReplay {
public:
    /// Precondition   what `machine` refers to outlives this.
    explicit RunReplay(const Machine& machine, const RunReplayOptions& options = {});

    /// Replays the next launch. Its timeline's `start` is in the run.
    /// Errors   as replay().
    /// `partition` is the launch's, if it is known; `known_times` as ReplayOptions::known_times.
    [[nodiscard]] LaunchTimeline add(const Trace& trace, const LaunchTrace& launch,
                                     const LaunchPartition* partition = nullptr,
                                     std::span<const Millicycles> known_times = {});

    /// Adds the next launch without a replay: it takes each device of the mesh as long as
    /// `device_times` says, from whenever dispatch lets it start. Returns a timeline of starts and
    /// ends alone.
    /// Precondition   devices send each other nothing: what one takes depends on no other's start.
    [[nodiscard]] LaunchTimeline add_known(const LaunchTrace& launch,
                                           std::span<const Millicycles> device_times);

    /// Returns when the last device has ended the last launch so far.
    [[nodiscard]] Millicycles makespan() const noexcept { return makespan_; }

private:
    /// When a launch may begin: the first device in the run, and each from there.
    struct LaunchStart {
        std::vector<bool> takes_part;  ///< by device
        Millicycles first = 0;
        std::vector<Millicycles> devices;
    };
    [[nodiscard]] LaunchStart next_start(const LaunchTrace& launch);
    void note_ends(const LaunchStart& start, const LaunchTimeline& timeline);
    [[nodiscard]] std::vector<Millicycles> starts_of(const LaunchTrace& launch,
                                                     const std::vector<bool>& takes_part);

    Machine machine_;
    RunReplayOptions options_;
    DispatchCost cost_;
    std::vector<DispatchQueue> queues_;  ///< by device
    ReplayCache cache_;
    Millicycles makespan_ = 0;
};

/// Replays all launches of a trace.
/// Errors   as replay(); UsageError if the trace's mesh is not the machine's.
[[nodiscard]] RunTimeline replay_run(const Trace& trace, const Machine& machine,
                                     const RunReplayOptions& options = {});

}  // namespace tessera::timing
