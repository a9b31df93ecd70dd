// SPDX-License-Identifier: Apache-2.0
// Passes the traces of a run's launches to a timer, to a file, to both or to neither.
#pragma once

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "emu/base/trace_file/trace_writer.hpp"
#include "runtime/pipeline/run_pipeline.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/run_timer.hpp"

namespace tessera::timed_run {

/// Whether the taker also keeps the launches' events until the end of the run.
enum class Keeping : std::uint8_t { Nothing, Trace };

class TraceTaker {
public:
    /// Errors   UsageError if the file cannot be created.
    TraceTaker(std::optional<RunTimer> timer, const std::optional<std::filesystem::path>& file,
               Keeping keeping = Keeping::Nothing);

    /// Returns `modes` with the taker as sink; unchanged if there is neither timer nor file. The
    /// taker outlives the run, is not moved, and belongs to the run's thread.
    [[nodiscard]] pipeline::RunModes modes(pipeline::RunModes modes);

    /// Gives the file its name and ends the timing; returns no report without a timer.
    [[nodiscard]] std::optional<report::TimingReport> finish();

    /// Returns the timing of the launches before the error that ended a run; the file gets no name.
    [[nodiscard]] std::optional<report::TimingReport> unfinished();

    /// Returns the kept trace.
    [[nodiscard]] Trace take_trace() noexcept { return std::move(trace_); }

    /// Returns the host seconds spent on replays so far.
    [[nodiscard]] double seconds() const noexcept { return seconds_; }

private:
    /// Launch whose parts are replayed while the launches before it are added to the timer.
    struct Begun {
        Trace names;  ///< as of its launch: later launches add to them
        LaunchTrace launch;
        LaunchAhead ahead;
        std::exception_ptr failure;
        tbb::task_group task;  ///< sets `ahead` or `failure`

        Begun(const Trace& so_far, LaunchTrace&& taken);
        ~Begun();
        Begun(const Begun&) = delete;
        Begun& operator=(const Begun&) = delete;
    };

    void take(const Trace& so_far, LaunchTrace&& launch);
    void begin(const Trace& so_far, LaunchTrace&& launch);
    /// Adds the oldest of the begun launches to the timer.
    void add_first();
    void keep(const Trace& so_far, LaunchTrace&& launch);

    std::optional<RunTimer> timer_;
    std::optional<TraceWriter> writer_;
    Keeping keeping_;
    Trace trace_;
    double seconds_ = 0;
    std::thread::id run_thread_;
    /// Arena of the tasks. A thread that waits for a task helps with all of them. In the arena of a
    /// sink's thread, which ends after each launch, only workers would be left.
    tbb::task_arena tasks_;
    std::deque<Begun> begun_;         ///< last: its tasks use the timer
    std::uint64_t events_begun_ = 0;  ///< of the launches in it
};

}  // namespace tessera::timed_run
