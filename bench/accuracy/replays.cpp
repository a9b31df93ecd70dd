// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/replays.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "tessera/errors.hpp"

namespace tessera::score {
namespace {

double cycles(Millicycles time) {
    return static_cast<double>(time) / static_cast<double>(kMillicyclesPerCycle);
}

Millicycles millicycles(double cycles) {
    return std::llround(cycles * kMillicyclesPerCycle);
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double one_of(const std::vector<double>& values, Among among) {
    switch (among) {
        case Among::Median:
            return median_of(values);
        case Among::Mean:
            return std::accumulate(values.begin(), values.end(), 0.0) /
                   static_cast<double>(values.size());
        case Among::Longest:
            return std::ranges::max(values);
    }
    throw InternalError(fmt::format("invalid Among {}", static_cast<int>(among)));
}

Millicycles total(const ThreadTimeline& thread, Activity activity) {
    return thread.totals[static_cast<std::size_t>(activity)];
}

/// Returns the start of the kernel's own code.
Millicycles begin_of(const ThreadTimeline& thread) {
    return total(thread, Activity::NotStarted) + total(thread, Activity::Start);
}

}  // namespace

Prediction prediction_of(double expected, const report::Ensemble& ensemble) {
    const auto in_cycles = [&](report::Side side) {
        std::vector<double> samples = report::samples_of(ensemble, side);
        for (double& sample : samples) {
            sample /= kMillicyclesPerCycle;
        }
        return samples;
    };
    const PredictedTime time = report::predicted(millicycles(expected), ensemble);
    Prediction prediction = Prediction::within(cycles(time.low), expected, cycles(time.high));
    prediction.samples = {in_cycles(report::Side::A), in_cycles(report::Side::B)};
    const auto largest =
        std::ranges::max_element(ensemble.regimes, {}, &report::RegimeError::share);
    prediction.regime = static_cast<timing::Regime>(largest - ensemble.regimes.begin());
    prediction.model_error = largest->error;
    return prediction;
}

Prediction Replays::each(const Figure& figure) const {
    // Regimes are those of the whole launch; a zone is most of it.
    report::Ensemble ensemble =
        report::make_ensemble(timing::regime_times(timelines_.expected), timelines_.error);
    const double expected = figure(timelines_.expected);
    for (const LaunchTimeline& draw : timelines_.draws) {
        ensemble.draws.push_back(millicycles(figure(draw)));
    }
    for (const double factor : timelines_.factors) {
        ensemble.draws.push_back(millicycles(expected * factor));
    }
    return prediction_of(expected, ensemble);
}

std::vector<ZoneSpan> Replays::zones_of(const LaunchTimeline& timeline,
                                        std::string_view name) const {
    std::vector<ZoneSpan> zones;
    std::ranges::copy_if(timeline.zones, std::back_inserter(zones),
                         [&](const ZoneSpan& zone) { return names_.at(zone.name) == name; });
    ensure(!zones.empty(), "no thread marked the zone {}", name);
    return zones;
}

Prediction Replays::zone_cycles(std::string_view name, Among among) const {
    return each([&](const LaunchTimeline& timeline) {
        std::vector<double> lengths;
        for (const ZoneSpan& zone : zones_of(timeline, name)) {
            lengths.push_back(cycles(zone.end - zone.begin));
        }
        return one_of(lengths, among);
    });
}

Prediction Replays::zones_span_cycles(std::string_view name) const {
    return each([&](const LaunchTimeline& timeline) {
        const std::vector<ZoneSpan> zones = zones_of(timeline, name);
        return cycles(std::ranges::max(zones, {}, &ZoneSpan::end).end -
                      std::ranges::min(zones, {}, &ZoneSpan::begin).begin);
    });
}

Prediction Replays::thread_cycles(TimelineThread thread, Among among) const {
    return each([&](const LaunchTimeline& timeline) {
        std::vector<double> lengths;
        for (const ThreadTimeline& candidate : timeline.threads) {
            if (candidate.thread == thread) {
                lengths.push_back(cycles(timeline.makespan - begin_of(candidate) -
                                         total(candidate, Activity::Finished)));
            }
        }
        ensure(!lengths.empty(), "no core has a {} thread", name_of(thread));
        return one_of(lengths, among);
    });
}

Prediction Replays::busy_cycles(TimelineThread thread, Activity activity) const {
    return each([&](const LaunchTimeline& timeline) {
        Millicycles sum = 0;
        for (const ThreadTimeline& candidate : timeline.threads) {
            sum += candidate.thread == thread ? total(candidate, activity) : 0;
        }
        return cycles(sum);
    });
}

Prediction Replays::kernel_span_cycles() const {
    return each([&](const LaunchTimeline& timeline) {
        Millicycles begin = timeline.makespan;
        Millicycles end = 0;
        for (const ThreadTimeline& thread : timeline.threads) {
            begin = std::min(begin, begin_of(thread));
            end = std::max(end, timeline.makespan - total(thread, Activity::Finished));
        }
        return cycles(end - begin);
    });
}

Prediction Replays::makespan_cycles() const {
    return each([](const LaunchTimeline& timeline) { return cycles(timeline.makespan); });
}

}  // namespace tessera::score
