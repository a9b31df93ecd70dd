// SPDX-License-Identifier: Apache-2.0
// A run with its recorded trace, which can be timed with any constants.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/study/compare.hpp"
#include "runtime/study/run_timer.hpp"
#include "tessera/trace.hpp"

namespace tessera::compare {

/// Events that may be replayed without a request: about ten seconds of a host core.
inline constexpr std::uint64_t kCheapReplays = 20'000'000;

struct RecordedRun {
    std::string name;
    Trace trace;
    timed_run::TimedMachine machine;
    std::filesystem::path file;              ///< file of the trace; empty: recorded by this process
    timed_run::OnReplayed on_replayed = {};  ///< called after each replay of the run
    std::vector<std::vector<LeastWork>> least_work = {};  ///< [launch][device]; of a trace unknown
    timed_run::LaunchCache* cache = nullptr;              ///< of times of launches; null: none
    /// Tensors that steer kernels and were drawn, since no step computed them; of a trace unknown.
    std::vector<std::string> drawn = {};
};

[[nodiscard]] std::uint64_t events_of(const Trace& trace);

/// Returns the figures of the run, timed under the stated constants and draws of them.
[[nodiscard]] RunFigures figures_of(const RecordedRun& run, const timed_run::Draws& draws);

/// Returns the replayed events of move_each_constant(): one replay of both runs at each end of each
/// range.
[[nodiscard]] std::uint64_t cost_of_moving(const RecordedRun& a, const RecordedRun& b);

/// Returns both runs with one constant at one end of its range, for each constant with a range in
/// either run; a run without a range for it keeps its value.
[[nodiscard]] std::vector<MovedConstant> move_each_constant(const RecordedRun& a,
                                                            const RecordedRun& b);

}  // namespace tessera::compare
