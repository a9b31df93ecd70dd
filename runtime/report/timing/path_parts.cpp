// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/path_parts.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "runtime/report/timing/activity_words.hpp"
#include "runtime/report/timing/run_path.hpp"

namespace tessera::report {
namespace {

using Key = std::tuple<int, std::uint32_t, Activity, ResourceKind>;

Key merge_key(const PathPart& part) {
    return {part.thread ? static_cast<int>(*part.thread) : -1, part.line, part.activity,
            part.resource};
}

PathPart part_of(const PathStep& step, const LaunchTimeline& timeline, const LineTable& lines) {
    PathPart part{.line = lines.index(step.thread, step.site),
                  .activity = step.activity,
                  .resource = step.resource};
    if (step.thread < timeline.threads.size()) {
        part.thread = timeline.threads[step.thread].thread;
    }
    return part;
}

void add_stretch(const PathStretch& stretch, std::vector<PathStretch>& stretches) {
    const bool joins = !stretches.empty() && stretches.back().thread == stretch.thread &&
                       stretches.back().part == stretch.part;
    if (joins) {
        stretches.back().end = stretch.end;
    } else {
        stretches.push_back(stretch);
    }
}

std::vector<BoundShare> sorted(const std::map<std::string, Millicycles>& times) {
    std::vector<BoundShare> shares;
    shares.reserve(times.size());
    for (const auto& [name, time] : times) {
        shares.push_back({name, time});
    }
    std::ranges::stable_sort(shares, std::ranges::greater{}, &BoundShare::time);
    return shares;
}

}  // namespace

void sort_path(std::vector<PathPart>& parts, std::vector<PathStretch>& stretches) {
    std::vector<std::uint32_t> order(parts.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::uint32_t part) { return parts[part].time; });
    std::vector<std::uint32_t> place(order.size());
    std::vector<PathPart> sorted;
    for (const std::uint32_t part : order) {
        place[part] = static_cast<std::uint32_t>(sorted.size());
        sorted.push_back(parts[part]);
    }
    parts = std::move(sorted);
    for (PathStretch& stretch : stretches) {
        stretch.part = place[stretch.part];
    }
}

SummedPath sum_path(const LaunchTimeline& timeline, const LineTable& lines) {
    SummedPath path;
    std::map<Key, std::uint32_t> known;
    for (const PathStep& step : timeline.critical_path) {
        const PathPart part = part_of(step, timeline, lines);
        const auto next = static_cast<std::uint32_t>(path.parts.size());
        const auto [found, is_new] = known.try_emplace(merge_key(part), next);
        if (is_new) {
            path.parts.push_back(part);
        }
        PathPart& sum = path.parts[found->second];
        sum.time += step.end - step.begin;
        ++sum.count;
        add_stretch({step.end, step.thread, found->second}, path.stretches);
    }
    sort_path(path.parts, path.stretches);
    return path;
}

std::string bound_name(const PathPart& part) {
    return std::string(part.resource == ResourceKind::None ? label_of(part.activity)
                                                           : label_of(part.resource));
}

std::vector<BoundShare> bounds_of(const std::vector<PathPart>& parts) {
    std::map<std::string, Millicycles> times;
    for (const PathPart& part : parts) {
        if (part.time > 0) {
            times[bound_name(part)] += part.time;
        }
    }
    return sorted(times);
}

std::vector<BoundShare> bounds_of(const TimingReport& report) {
    std::map<std::string, Millicycles> times;
    Millicycles rest = report.makespan.expected;
    for (const BoundShare& bound : bounds_of(path_of_run(report))) {
        times[bound.name] = bound.time;
        rest -= bound.time;
    }
    if (!times.empty() && rest > 0) {
        times[std::string(kBetweenLaunches)] += rest;
    }
    return sorted(times);
}

}  // namespace tessera::report
