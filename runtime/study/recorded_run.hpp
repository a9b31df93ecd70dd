// SPDX-License-Identifier: Apache-2.0
// A run whose trace is at hand: it can be timed with any constant moved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/study/compare.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/trace.hpp"

namespace tessera::compare {

/// Events that may be replayed without being asked for: about ten seconds of a host core.
inline constexpr std::uint64_t kCheapReplays = 20'000'000;

struct RecordedRun {
    std::string name;
    Trace trace;
    timed_run::TimedMachine machine;
    std::filesystem::path file;  ///< that the trace was read from; empty: this process recorded it
    timed_run::OnReplayed on_replayed = {};  ///< hears of all replays of the run
};

[[nodiscard]] std::uint64_t events_of(const Trace& trace);

/// The run timed, and under so many draws of its constants.
[[nodiscard]] RunFigures figures_of(const RecordedRun& run, std::uint32_t num_draws);

/// Replays of events that moving each constant takes: one at each end of each range, of both runs.
[[nodiscard]] std::uint64_t cost_of_moving(const RecordedRun& a, const RecordedRun& b);

/// Both runs with one constant at one end of its range, for each that has a range in either of
/// them; a run that states no range for it keeps its value.
[[nodiscard]] std::vector<MovedConstant> move_each_constant(const RecordedRun& a,
                                                            const RecordedRun& b);

}  // namespace tessera::compare
