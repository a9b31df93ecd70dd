// SPDX-License-Identifier: Apache-2.0
// What the timelines of one launch say, under stated constants and under draws of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/accuracy/prediction.hpp"
#include "runtime/report/timing/ensemble.hpp"
#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::score {

/// Which of several cores' figures stands for them all.
enum class Among : std::uint8_t { Median, Mean, Longest };

/// One launch under stated constants, its critical path kept, and under each draw of them.
struct DrawnTimelines {
    LaunchTimeline expected;
    std::vector<LaunchTimeline> draws;  ///< if each draw was replayed
    /// Else by draw: the launch's time divided by its expected one (DrawEstimate). Each figure of
    /// the launch is taken to change by it.
    std::vector<double> factors;
    ModelErrorSpec error;
};

/// A figure in cycles with what it may be.
[[nodiscard]] Prediction prediction_of(double cycles, const report::Ensemble& ensemble);

class Replays {
public:
    /// `names` are those of the trace.
    Replays(std::vector<std::string> names, DrawnTimelines timelines)
        : names_(std::move(names)), timelines_(std::move(timelines)) {}

    /// Length of a zone, in cycles.
    /// Errors   InternalError if no thread marked it.
    [[nodiscard]] Prediction zone_cycles(std::string_view name, Among among) const;
    /// From the first begin of a zone on any core to its last end.
    /// Errors   InternalError if no thread marked it.
    [[nodiscard]] Prediction zones_span_cycles(std::string_view name) const;
    /// Time from the start of one kernel thread to its return, in cycles, over the cores that have
    /// such a thread.
    /// Errors   InternalError if none has.
    [[nodiscard]] Prediction thread_cycles(TimelineThread thread, Among among) const;
    /// What all threads of a kind were busy with, waits apart, in cycles.
    [[nodiscard]] Prediction busy_cycles(TimelineThread thread, Activity activity) const;
    /// From the first kernel's start on any core to the last one's return.
    [[nodiscard]] Prediction kernel_span_cycles() const;
    /// From the launch to its end.
    [[nodiscard]] Prediction makespan_cycles() const;

private:
    using Figure = std::function<double(const LaunchTimeline&)>;
    /// The zones of that name, at least one.
    [[nodiscard]] std::vector<ZoneSpan> zones_of(const LaunchTimeline& timeline,
                                                 std::string_view name) const;
    [[nodiscard]] Prediction each(const Figure& figure) const;

    std::vector<std::string> names_;
    DrawnTimelines timelines_;
};

}  // namespace tessera::score
