// SPDX-License-Identifier: Apache-2.0
// Figures from the timelines of one launch, under stated constants and under draws of them.
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

/// Statistic over the figures of several cores.
enum class Among : std::uint8_t { Median, Mean, Longest };

/// One launch under stated constants, with its critical path, and under each draw of them.
struct DrawnTimelines {
    LaunchTimeline expected;
    std::vector<LaunchTimeline> draws;  ///< if each draw was replayed
    /// Else by draw: the launch's time divided by its expected one (DrawEstimate). Each figure of
    /// the launch is taken to change by it.
    std::vector<double> factors;
    ModelErrorSpec error;
};

/// Returns a figure in cycles with its interval.
[[nodiscard]] Prediction prediction_of(double cycles, const report::Ensemble& ensemble);

class Replays {
public:
    /// `names` are the names of the trace.
    Replays(std::vector<std::string> names, DrawnTimelines timelines)
        : names_(std::move(names)), timelines_(std::move(timelines)) {}

    /// Returns the length of a zone in cycles.
    /// Errors   InternalError if no thread marked it.
    [[nodiscard]] Prediction zone_cycles(std::string_view name, Among among) const;
    /// Returns the time from the first start of a zone on any core to its last end.
    /// Errors   InternalError if no thread marked it.
    [[nodiscard]] Prediction zones_span_cycles(std::string_view name) const;
    /// Returns the time from start to return of one kernel thread in cycles, over the cores that
    /// have such a thread.
    /// Errors   InternalError if no core has one.
    [[nodiscard]] Prediction thread_cycles(TimelineThread thread, Among among) const;
    /// Returns the busy cycles of all threads of a kind, without waits.
    [[nodiscard]] Prediction busy_cycles(TimelineThread thread, Activity activity) const;
    /// Returns the time from the first kernel's start on any core to the last kernel's return.
    [[nodiscard]] Prediction kernel_span_cycles() const;
    /// Returns the time from the launch to its end.
    [[nodiscard]] Prediction makespan_cycles() const;

private:
    using Figure = std::function<double(const LaunchTimeline&)>;
    /// Returns the zones of that name, at least one.
    [[nodiscard]] std::vector<ZoneSpan> zones_of(const LaunchTimeline& timeline,
                                                 std::string_view name) const;
    [[nodiscard]] Prediction each(const Figure& figure) const;

    std::vector<std::string> names_;
    DrawnTimelines timelines_;
};

}  // namespace tessera::score
