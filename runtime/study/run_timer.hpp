// SPDX-License-Identifier: Apache-2.0
// Times a run launch by launch, so that the events of one can be dropped before the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emu/timing/run.hpp"
#include "runtime/config/load.hpp"
#include "runtime/report/timing/reduce.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timed_run {

struct TimedMachine {
    ArchSpec arch;
    TimingBounds timing;
    MeshSpec mesh;
};

[[nodiscard]] inline TimedMachine machine_of(const config::LoadedRun& loaded) {
    return {loaded.arch, loaded.timing, loaded.run.mesh};
}

/// What is kept of the expected replay: times of launches; the critical path too; all that reports
/// draw.
enum class Detail : std::uint8_t { Times, Paths, Full };

/// Draws of constants where nothing is said: enough for the 5th percentile to lie inside of them.
inline constexpr std::uint32_t kDefaultDraws = 32;
/// The same where a result is waited for: each draw is a replay.
inline constexpr std::uint32_t kQuickDraws = 8;

/// Takes the number of events of each replay of a launch that has ended, from any host thread.
using OnReplayed = std::function<void(std::uint64_t num_events)>;

struct TimerOptions {
    std::uint32_t num_draws = kDefaultDraws;  ///< of constants; 0: no interval
    Detail detail = Detail::Full;
    report::DrawBudget budget;  ///< of Detail::Full
};

/// Replays each launch under a machine with its constants as expected, and once for each draw of
/// them. The result is the same at any number of host threads.
class RunTimer {
public:
    RunTimer(std::string name, const TimedMachine& machine, const TimerOptions& options);

    /// Has `on_replayed` told of each replay from now on; empty: nobody.
    void tell(OnReplayed on_replayed) { on_replayed_ = std::move(on_replayed); }

    /// Times one launch more, after those before; the replays run in parallel.
    /// Errors   those of timing::replay.
    void add(const Trace& trace, const LaunchTrace& launch);
    /// As add(), of a launch whose partition is known.
    void add(const Trace& trace, const LaunchTrace& launch,
             const timing::LaunchPartition& partition);

    /// The report of what was added; low and high are the expected times without draws.
    [[nodiscard]] report::TimingReport finish();

private:
    [[nodiscard]] report::LaunchReport reduce(const Trace& trace, const LaunchTrace& launch,
                                              const LaunchTimeline& timeline) const;

    std::unique_ptr<const TimedMachine> machine_;  ///< its place is fixed: replays refer to it
    std::vector<TimingSpec> draws_;                ///< likewise
    TimerOptions options_;
    OnReplayed on_replayed_;
    std::vector<timing::RunReplay> replays_;  ///< expected, then each draw
    report::TimingReport report_;
};

/// Gives one launch to each of the timers, in parallel.
void add_to_all(std::span<RunTimer> timers, const Trace& trace, const LaunchTrace& launch);

}  // namespace tessera::timed_run
