// SPDX-License-Identifier: Apache-2.0
// Times a run launch by launch, so that the events of a launch can be dropped before the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emu/timing/run.hpp"
#include "runtime/report/timing/reduce.hpp"
#include "runtime/study/draw_estimate.hpp"
#include "runtime/study/launch_cache.hpp"
#include "runtime/study/launch_key.hpp"
#include "runtime/study/read_constants.hpp"
#include "runtime/study/sums_of_parts.hpp"
#include "runtime/study/timed_machine.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timed_run {

/// Kept part of the expected replay: times of launches; also the critical path; all that reports
/// draw.
enum class Detail : std::uint8_t { Times, Paths, Full };

/// Default number of draws of constants, so that the 5th percentile is inside the draws.
inline constexpr std::uint32_t kDefaultDraws = 32;

/// Source of a launch's time under a draw of the constants.
enum class DrawTimes : std::uint8_t {
    Estimated,  ///< from the critical path of the expected replay (DrawEstimate)
    Replayed,   ///< a replay for each draw
};

/// Draws of the constants for intervals; with none an interval is the expected time.
struct Draws {
    std::uint32_t count = kDefaultDraws;
    DrawTimes times = DrawTimes::Estimated;

    /// Returns the replays of each launch: the expected one, and those of draws.
    [[nodiscard]] constexpr std::uint32_t num_replays() const noexcept {
        return 1 + (times == DrawTimes::Replayed ? count : 0);
    }
};

/// Called with the number of events after each replay of a launch, from any host thread.
using OnReplayed = std::function<void(std::uint64_t num_events)>;

struct TimerOptions {
    Draws draws;
    Detail detail = Detail::Full;
    report::DrawBudget budget;  ///< for Detail::Full
    /// Times of earlier launches and runs; outlives the timer. Null: each launch is replayed. Not
    /// used for drawings and for replayed draws.
    LaunchCache* cache = nullptr;
};

/// Contents of a launch that do not depend on when it starts.
struct KnownLaunch {
    std::optional<ReadConstants> read;        ///< none if neither a cache nor the report needs it
    std::optional<timing::PartKey> key;       ///< none without a cache
    std::shared_ptr<const TimedLaunch> kept;  ///< times under that key; null: not known to be kept
};

/// Results of RunTimer::begin() for a launch. They depend on no earlier launch.
struct LaunchAhead {
    timing::LaunchPartition partition;
    KnownLaunch contents;
    std::vector<timing::ReplayCache::Entry> timelines;  ///< of parts that were replayed
    std::vector<SumsOfParts::Keyed> sums;               ///< of the same parts
};

/// Parts whose timelines launches ahead compute, so that none is computed twice: gate and up of an
/// MoE layer are one replay. Any host thread may call it.
class ClaimedParts {
public:
    /// Claims and returns the unclaimed parts of one device. Identical parts count as one.
    [[nodiscard]] std::vector<std::size_t> claim(const timing::LaunchPartition& partition);
    /// Ends the claims of the launch that was added before this one. Claims of this one last until
    /// the next is added: RunReplay keeps the timelines of one launch.
    void note_added(const timing::LaunchPartition& partition);

private:
    using Key = std::array<std::uint64_t, 2>;

    std::mutex mutex_;
    std::set<Key> claimed_;
    std::set<Key> of_last_;  ///< claims of the launch that was added last
};

/// Replays each launch under the stated constants of a machine, and computes its time under draws
/// of them. The result is the same at any number of host threads.
class RunTimer {
public:
    RunTimer(std::string name, const TimedMachine& machine, const TimerOptions& options);

    /// Sets the function that is called after each replay; may be empty.
    void tell(OnReplayed on_replayed) { on_replayed_ = std::move(on_replayed); }

    /// Times the next launch; its replays run in parallel.
    /// Errors   as timing::replay.
    void add(const Trace& trace, const LaunchTrace& launch);
    /// As add(), for a launch with a known partition.
    void add(const Trace& trace, const LaunchTrace& launch,
             const timing::LaunchPartition& partition);

    /// Replays those parts of a launch that depend on no earlier launch, unless another launch ahead
    /// has the same. May be called for several launches at once, also beside add(), from any host
    /// thread. An error of a replay is left to add(), which meets it in the order of launches.
    [[nodiscard]] LaunchAhead begin(const Trace& trace, const LaunchTrace& launch);
    /// Adds the next launch with the results of begin().
    void add(const Trace& trace, const LaunchTrace& launch, LaunchAhead ahead);

    /// Returns the report of all added launches; without draws, low and high are the expected
    /// times.
    [[nodiscard]] report::TimingReport finish();

private:
    /// Replays a launch under the stated constants and reduces it.
    struct ExpectedLaunch {
        LaunchTimeline timeline;  ///< without intervals, unless they are drawn
        report::LaunchReport reduced;
    };
    [[nodiscard]] ExpectedLaunch replay_expected(const Trace& trace, const LaunchTrace& launch,
                                                 const timing::LaunchPartition& partition);
    /// Times of one launch, by replay.
    struct LaunchTimes {
        std::vector<Millicycles> makespans;
        std::vector<Millicycles> longest_on_device;
        report::LaunchReport reduced;  ///< of the expected replay
        std::vector<double> factors;   ///< by draw, if they are estimated
        std::uint32_t num_replays = 0;

        void note(std::size_t number, const LaunchTimeline& timeline) {
            makespans[number] = timeline.makespan;
            longest_on_device[number] = device_time(timeline);
        }
    };
    [[nodiscard]] LaunchTimeline replay(std::size_t number, const Trace& trace,
                                        const LaunchTrace& launch,
                                        const timing::LaunchPartition& partition,
                                        std::span<const Millicycles> known_times = {},
                                        const timing::OnPart& on_part = {});
    [[nodiscard]] bool is_drawn() const noexcept;
    [[nodiscard]] report::Stalls stalls() const noexcept;
    [[nodiscard]] KnownLaunch known_of(const Trace& trace, const LaunchTrace& launch) const;
    void replay_ahead(const Trace& trace, const LaunchTrace& launch, LaunchAhead& ahead);
    void add(const Trace& trace, const LaunchTrace& launch,
             const timing::LaunchPartition& partition, const KnownLaunch& known);
    void replay_draws(const Trace& trace, const LaunchTrace& launch,
                      const timing::LaunchPartition& partition, LaunchTimes& times);
    /// Returns the report of a kept launch as of its start in this run, if no replay is needed.
    [[nodiscard]] std::optional<report::LaunchReport> restarted(
        const TimedLaunch& kept, const LaunchTrace& launch,
        const timing::LaunchPartition& partition) const;
    void add_cached(const Trace& trace, const LaunchTrace& launch,
                    const timing::LaunchPartition& partition, const KnownLaunch& known,
                    LaunchTimes& times);
    void add_estimates(const LaunchTrace& launch, std::span<const Millicycles> stated,
                       std::span<const double> factors, LaunchTimes& times);
    void estimate_draws(const Trace& trace, const LaunchTrace& launch,
                        const timing::LaunchPartition& partition, LaunchTimes& times);

    std::unique_ptr<const TimedMachine> machine_;  ///< has a fixed address, to which replays refer
    std::vector<TimingSpec> draws_;                ///< fixed addresses too
    std::optional<DrawEstimate> estimate_;
    std::optional<LaunchKeys> keys_;  ///< none: the cache is not used
    TimerOptions options_;
    OnReplayed on_replayed_;
    std::vector<timing::RunReplay> replays_;  ///< expected, then each draw
    SumsOfParts sums_;                        ///< of the expected replay
    std::unique_ptr<ClaimedParts> claimed_ = std::make_unique<ClaimedParts>();
    report::TimingReport report_;
};

/// Adds one launch to each of the timers, in parallel.
void add_to_all(std::span<RunTimer> timers, const Trace& trace, const LaunchTrace& launch);

}  // namespace tessera::timed_run
