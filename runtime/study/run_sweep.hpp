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
#include "runtime/study/point_cache.hpp"
#include "runtime/study/run_timer.hpp"
#include "runtime/study/sweep_result.hpp"

namespace tessera::sweep {

/// Runs one configuration, giving each launch to the sink. Returns what failed its check, or
/// "" if nothing did.
using Record =
    std::function<std::string(const config::LoadedRun& loaded, const pipeline::RunModes& modes)>;

struct SweepOptions {
    std::uint32_t num_draws = timed_run::kQuickDraws;  ///< of constants, for each point
    std::uint32_t threads = 0;  ///< of the host, over all points; 0: one for each of its cores
    Record record;
    /// Called before the first recording and after each, from one thread at a time.
    std::function<void(std::size_t done, std::size_t recordings)> on_progress;
    const PointCache* cache = nullptr;  ///< of points that are timed already; null: none is
    /// Runs the points that a search meets alone: from the first of each case, key by key, to the
    /// best that differs in this key, until no key makes it faster.
    bool searches = false;
    /// Once true, no recording begins any more; those under way end. Null: never.
    const std::atomic<bool>* stop = nullptr;
};

/// Runs the sweep. The first recording runs on all threads; the others side by side on one thread
/// each, as many as the host's memory holds of the largest seen so far. The result is the same at
/// any number of threads. Points that cannot run, or were not begun, have the reason in their
/// result.
/// Errors   InternalError of a point, that of the first of them; UsageError if rules forbid
///          every point, with each kind of reason.
[[nodiscard]] SweepResult run_sweep(const config::LoadedSweep& sweep, const SweepOptions& options);

enum class Checks : bool { Ignored, Compared };

/// Equal for runs of which a trace can be recorded once: those that differ only in what acts cost
/// (`arch.timing`, `arch.clock`), in the host, and, where checks are ignored, in `verify`.
[[nodiscard]] std::string recording_key(const config::LoadedRun& loaded, Checks checks);

}  // namespace tessera::sweep
