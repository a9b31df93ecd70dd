// SPDX-License-Identifier: Apache-2.0
// Takes the traces of a run as its launches end: to a timer, to a file, to both or to neither.
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

/// Whether the taker holds the launches' events to the end of the run, too.
enum class Keeping : std::uint8_t { Nothing, Trace };

class TraceTaker {
public:
    /// Errors   UsageError if the file cannot be made.
    TraceTaker(std::optional<RunTimer> timer, const std::optional<std::filesystem::path>& file,
               Keeping keeping = Keeping::Nothing);

    /// `modes` with the taker as sink; as they are if there is neither timer nor file. The taker
    /// outlives the run, and stays where it is.
    [[nodiscard]] pipeline::RunModes modes(pipeline::RunModes modes);

    /// Gives the file its name and ends the timing; no report without a timer.
    [[nodiscard]] std::optional<report::TimingReport> finish();

    /// The timing of the launches so far, of a run that an error has ended; the file gets no name.
    [[nodiscard]] std::optional<report::TimingReport> unfinished();

    /// What was kept of the run.
    [[nodiscard]] Trace take_trace() noexcept { return std::move(trace_); }

    /// Host seconds spent on replays so far.
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
