// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/run_path.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tessera::report {
namespace {

/// Calls `take` with each stretch and its time inside the window.
template <class Take>
void for_each_inside(const LaunchReport& launch, const LaunchWindow& window, Take take) {
    Millicycles begin = 0;
    for (const PathStretch& stretch : launch.path_stretches) {
        const Millicycles from = std::max(begin, window.from);
        const Millicycles until = std::min(stretch.end, window.until);
        if (until > from) {
            take(stretch, until - from);
        }
        begin = stretch.end;
    }
}

}  // namespace

std::vector<LaunchWindow> launch_windows(const TimingReport& report) {
    std::vector<LaunchWindow> windows;
    Millicycles ended = 0;
    for (const LaunchReport& launch : report.launches) {
        const Millicycles length = launch.makespan.expected;
        const Millicycles from = std::clamp(ended - launch.start, Millicycles{0}, length);
        windows.push_back({from, length});
        ended = std::max(ended, launch.start + length);
    }
    return windows;
}

std::vector<PathPart> path_in(const LaunchReport& launch, const LaunchWindow& window) {
    std::vector<PathPart> parts = launch.path;
    for (PathPart& part : parts) {
        part.time = 0;
        part.count = 0;
    }
    for_each_inside(launch, window, [&](const PathStretch& stretch, Millicycles time) {
        parts[stretch.part].time += time;
        ++parts[stretch.part].count;
    });
    return parts;
}

std::vector<PathPart> path_of_run(const TimingReport& report) {
    std::vector<PathPart> path;
    const std::vector<LaunchWindow> windows = launch_windows(report);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        std::ranges::copy(path_in(report.launches[i], windows[i]), std::back_inserter(path));
    }
    return path;
}

timing::RegimeTimes regimes_of(const TimingReport& report) {
    timing::RegimeTimes times{};
    const std::vector<LaunchWindow> windows = launch_windows(report);
    Millicycles rest = report.makespan.expected;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const LaunchReport& launch = report.launches[i];
        const Millicycles length = windows[i].until - windows[i].from;
        rest -= length;
        // Regimes are known for the whole launch only; its window is assumed to have the same
        // shares.
        const double part =
            launch.makespan.expected == 0
                ? 0
                : static_cast<double>(length) / static_cast<double>(launch.makespan.expected);
        for (std::size_t r = 0; r < times.size(); ++r) {
            times[r] += std::llround(static_cast<double>(launch.regimes[r]) * part);
        }
    }
    times[static_cast<std::size_t>(timing::Regime::Launch)] += std::max(rest, Millicycles{0});
    return times;
}

std::vector<RunShare> run_shares(const TimingReport& report) {
    std::vector<RunShare> shares;
    const std::vector<LaunchWindow> windows = launch_windows(report);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const LaunchReport& launch = report.launches[i];
        RunShare& share = shares.emplace_back();
        share.time = windows[i].until - windows[i].from;
        share.path.resize(launch.path.size());
        share.threads.resize(launch.threads.size());
        for_each_inside(launch, windows[i], [&](const PathStretch& stretch, Millicycles time) {
            share.path.at(stretch.part) += time;
            if (stretch.thread < share.threads.size()) {
                share.threads[stretch.thread] += time;
            }
        });
    }
    return shares;
}

}  // namespace tessera::report
