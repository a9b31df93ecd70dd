// SPDX-License-Identifier: Apache-2.0
// Runs the points of a sweep: kernels once for each trace, replays once for each point.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "runtime/config/load_sweep.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "runtime/ranks/rank_link.hpp"
#include "runtime/study/point_cache.hpp"
#include "runtime/study/run_timer.hpp"
#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// Runs one configuration and passes each launch to the sink. Returns the failure of a check, or
/// "".
using Record =
    std::function<std::string(const config::LoadedRun& loaded, const pipeline::RunModes& modes)>;

struct SweepOptions {
    timed_run::Draws draws;                      ///< of constants, for each point
    timed_run::LaunchCache* launches = nullptr;  ///< times that points share; null: none
    std::uint32_t threads = 0;  ///< host threads for all points; 0: one for each host core
    Record record;
    /// Called before the first recording and after each, from one thread at a time.
    std::function<void(std::size_t done, std::size_t recordings)> on_progress;
    const PointCache* cache = nullptr;  ///< cache of timed points; null: none
    /// Runs only the points of a search: from the first point of each case, key by key, to the best
    /// point that differs in this key, until no key makes it faster.
    bool searches = false;
    /// Once true, no further recording starts; running ones end. Null: never.
    const std::atomic<bool>* stop = nullptr;
    /// Ranks that share the recordings; null: this process alone. All have the same other options.
    ranks::RankLink* link = nullptr;
};

/// Runs the sweep. The first recording runs on all threads. The others run in parallel on one
/// thread each, as many as the host's memory allows at the largest size so far. The result is the
/// same at any number of threads and ranks, and all ranks return it. Points that cannot run, or
/// were not started, have the reason in their result.
/// Errors   InternalError of the first point that has one; UsageError with each kind of reason if
///          no point can run.
[[nodiscard]] SweepResult run_sweep(const config::LoadedSweep& sweep, const SweepOptions& options);

enum class Checks : bool { Ignored, Compared };

/// Returns a key that is equal for runs that share one recording: runs that differ only in costs
/// (`arch.timing`, `arch.clock`), in the host, and, with Checks::Ignored, in `verify`.
[[nodiscard]] std::string recording_key(const config::LoadedRun& loaded, Checks checks);

}  // namespace tessera::sweep
