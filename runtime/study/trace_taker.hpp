// SPDX-License-Identifier: Apache-2.0
// Passes the traces of a run's launches to a timer, to a file, to both or to neither.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
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
    /// taker outlives the run and is not moved.
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
    void take(const Trace& so_far, LaunchTrace&& launch);

    std::optional<RunTimer> timer_;
    std::optional<TraceWriter> writer_;
    Keeping keeping_;
    Trace trace_;
    double seconds_ = 0;
};

}  // namespace tessera::timed_run
