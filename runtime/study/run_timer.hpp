// SPDX-License-Identifier: Apache-2.0
// Times a run launch by launch, so that the events of a launch can be dropped before the next one.
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

/// Kept part of the expected replay: times of launches; also the critical path; all that reports
/// draw.
enum class Detail : std::uint8_t { Times, Paths, Full };

/// Default number of draws of constants, so that the 5th percentile is inside the draws.
inline constexpr std::uint32_t kDefaultDraws = 32;
/// Number of draws for interactive results: each draw is a replay.
inline constexpr std::uint32_t kQuickDraws = 8;

/// Called with the number of events after each replay of a launch, from any host thread.
using OnReplayed = std::function<void(std::uint64_t num_events)>;

struct TimerOptions {
    std::uint32_t num_draws = kDefaultDraws;  ///< draws of constants; 0: no interval
    Detail detail = Detail::Full;
    report::DrawBudget budget;  ///< for Detail::Full
};

/// Replays each launch under the stated constants of a machine, and once for each draw of them. The
/// result is the same at any number of host threads.
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

    /// Returns the report of all added launches; without draws, low and high are the expected
    /// times.
    [[nodiscard]] report::TimingReport finish();

private:
    [[nodiscard]] report::LaunchReport reduce(const Trace& trace, const LaunchTrace& launch,
                                              const LaunchTimeline& timeline) const;

    std::unique_ptr<const TimedMachine> machine_;  ///< has a fixed address, to which replays refer
    std::vector<TimingSpec> draws_;                ///< fixed addresses too
    TimerOptions options_;
    OnReplayed on_replayed_;
    std::vector<timing::RunReplay> replays_;  ///< expected, then each draw
    report::TimingReport report_;
};

/// Adds one launch to each of the timers, in parallel.
void add_to_all(std::span<RunTimer> timers, const Trace& trace, const LaunchTrace& launch);

}  // namespace tessera::timed_run
