// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/path_parts.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "runtime/report/timing/activity_words.hpp"

namespace tessera::report {
namespace {

std::vector<BoundShare> sorted(const std::map<std::string, Millicycles>& times) {
    std::vector<BoundShare> shares;
    for (const auto& [name, time] : times) {
        shares.push_back({name, time});
    }
    std::ranges::stable_sort(shares, std::ranges::greater{}, &BoundShare::time);
    return shares;
}

}  // namespace

std::vector<PathPart> path_parts(const LaunchTimeline& timeline, const LineTable& lines) {
    using Key = std::tuple<int, std::uint32_t, Activity, ResourceKind>;
    std::map<Key, PathPart> parts;
    for (const PathStep& step : timeline.critical_path) {
        PathPart part{.line = lines.index(step.thread, step.site),
                      .activity = step.activity,
                      .resource = step.resource};
        if (step.thread < timeline.threads.size()) {
            part.thread = timeline.threads[step.thread].thread;
        }
        const int thread = part.thread ? static_cast<int>(*part.thread) : -1;
        PathPart& sum = parts.try_emplace({thread, part.line, part.activity, part.resource}, part)
                            .first->second;
        sum.time += step.end - step.begin;
        ++sum.count;
    }
    std::vector<PathPart> rows;
    for (const auto& [key, part] : parts) {
        rows.push_back(part);
    }
    std::ranges::stable_sort(rows, std::ranges::greater{}, &PathPart::time);
    return rows;
}

std::string bound_name(const PathPart& part) {
    return std::string(part.resource == ResourceKind::None ? label_of(part.activity)
                                                           : label_of(part.resource));
}

std::vector<BoundShare> bounds_of(const LaunchReport& launch) {
    std::map<std::string, Millicycles> times;
    for (const PathPart& part : launch.path) {
        times[bound_name(part)] += part.time;
    }
    return sorted(times);
}

std::vector<BoundShare> bounds_of(const TimingReport& report) {
    std::map<std::string, Millicycles> times;
    Millicycles rest = report.makespan.expected;
    for (const LaunchReport& launch : report.launches) {
        for (const PathPart& part : launch.path) {
            times[bound_name(part)] += part.time;
            rest -= part.time;
        }
    }
    const bool has_path = !times.empty();
    if (has_path && rest > 0) {
        times["between launches"] += rest;
    }
    return sorted(times);
}

}  // namespace tessera::report
