// SPDX-License-Identifier: Apache-2.0
// Prediction of a run's time: its launches one after the other. Each device starts its next program
// after its last one.
#pragma once

#include <span>
#include <vector>

#include "emu/timing/cost/dispatch_cost.hpp"
#include "emu/timing/dispatch_queue.hpp"
#include "emu/timing/identical_devices.hpp"
#include "emu/timing/replay.hpp"

namespace tessera::timing {

/// Data that a run keeps of each launch in addition to totals, zones and resources.
struct RunReplayOptions {
    bool keeps_intervals = true;
    bool keeps_cb_levels = false;
    std::uint64_t start_seed = 0;  ///< as ReplayOptions::start_seed
};

/// Replays launches one at a time, so that neither traces nor timelines need be kept.
///
/// A device's program begins when dispatch has written it (DispatchQueue), the previous program has
/// ended, and the dispatch gap is over. Programs of one launch begin independently; only their
/// transfers to each other synchronise them.
class RunReplay {
public:
    /// Precondition   the objects that `machine` refers to outlive this one.
    explicit RunReplay(const Machine& machine, const RunReplayOptions& options = {});

    /// Replays the next launch. `start` of its timeline is counted from the start of the run.
    /// Errors   as replay().
    /// `partition` is that of the launch, if it is known; `known_times` and `on_part` as in
    /// ReplayOptions.
    [[nodiscard]] LaunchTimeline add(const Trace& trace, const LaunchTrace& launch,
                                     const LaunchPartition* partition = nullptr,
                                     std::span<const Millicycles> known_times = {},
                                     const OnPart& on_part = {});

    /// Replays parts of a launch that add() has not come to yet. Returns their timelines for
    /// expect(). May be called from any host thread, beside all other functions.
    /// Preconditions   as replay_ahead().
    /// Errors   as replay().
    [[nodiscard]] std::vector<ReplayCache::Entry> replay_ahead(const Trace& trace,
                                                               const LaunchTrace& launch,
                                                               const LaunchPartition& partition,
                                                               std::span<const std::size_t> parts,
                                                               const OnPart& on_part) const;
    /// Gives the next launch timelines of its parts, which add() then does not replay.
    void expect(std::vector<ReplayCache::Entry> timelines);

    /// Adds the next launch without a replay. Each device takes its time in `device_times`, from
    /// the time at which dispatch lets it start. Returns a timeline that has starts and ends only.
    /// Precondition   devices send each other nothing, so that no time depends on another device's
    /// start.
    [[nodiscard]] LaunchTimeline add_known(const LaunchTrace& launch,
                                           std::span<const Millicycles> device_times);

    /// Returns, by device, when the next launch may begin there, from its first device's start.
    [[nodiscard]] std::vector<Millicycles> starts_of_next(const LaunchTrace& launch) const;

    /// Returns when the last device ends the last launch so far.
    [[nodiscard]] Millicycles makespan() const noexcept { return makespan_; }

private:
    /// When a launch may begin: the first device from the start of the run, each device from there.
    struct LaunchStart {
        std::vector<bool> takes_part;  ///< by device: a core of it is in the launch
        Millicycles first = 0;
        std::vector<Millicycles> devices;
    };
    [[nodiscard]] LaunchStart next_start(const LaunchTrace& launch,
                                         std::vector<DispatchQueue>& queues) const;
    [[nodiscard]] ReplayOptions options_of_launch() const;
    void note_ends(const LaunchStart& start, const LaunchTimeline& timeline);
    [[nodiscard]] std::vector<Millicycles> starts_of(const LaunchTrace& launch,
                                                     const std::vector<bool>& takes_part,
                                                     std::vector<DispatchQueue>& queues) const;

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
