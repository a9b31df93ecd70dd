// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/interval_sums.hpp"

#include <utility>

#include "tessera/errors.hpp"

namespace tessera::report {
namespace {

/// Returns the time of all threads at each line.
std::vector<LineTime> line_times_of(const LaunchTimeline& timeline, const LineTable& lines) {
    std::vector<LineTime> times(lines.lines().size());
    for (std::uint32_t t = 0; t < timeline.threads.size(); ++t) {
        const ThreadTimeline& thread = timeline.threads[t];
        std::vector<LineTime> by_site(thread.sites.size() + 1);
        Millicycles begin = 0;
        for (const Interval& interval : thread.intervals) {
            const Millicycles length = interval.end - begin;
            begin = interval.end;
            LineTime& time = by_site.at(interval.site);
            time.busy += is_busy(interval.activity) ? length : 0;
            time.waiting += is_wait(interval.activity) ? length : 0;
        }
        for (std::size_t site = 0; site < thread.sites.size(); ++site) {
            LineTime& time = times[lines.index(t, static_cast<std::uint16_t>(site))];
            time.busy += by_site[site].busy;
            time.waiting += by_site[site].waiting;
        }
    }
    return times;
}

/// Returns the intervals of a thread before its end. The time after it lasts to the end of the
/// launch, which a part does not know.
std::uint64_t intervals_before_end(const ThreadTimeline& thread) {
    const bool is_finished =
        !thread.intervals.empty() && thread.intervals.back().activity == Activity::Finished;
    return thread.intervals.size() - (is_finished ? 1 : 0);
}

/// Threads of a launch that are one of its parts.
class PartOfLaunch {
public:
    PartOfLaunch(const LaunchTimeline& timeline, const LineTable& lines, const IntervalSums& sums,
                 std::size_t first)
        : timeline_(timeline), lines_(lines), sums_(sums), first_(first) {
        const auto& threads = timeline.threads;
        ensure(first + sums.num_intervals.size() <= threads.size(),
               "a part has threads {} to {} of {}", first, first + sums.num_intervals.size(),
               threads.size());
        if (sums.num_intervals.empty()) {
            return;
        }
        device_ = threads[first].device;
        is_one_device_ = threads[first + sums.num_intervals.size() - 1].device == device_;
        later_ = is_one_device_ ? timeline.device_end.at(device_) - sums.end : 0;
    }

    void add_to(LaunchSums& launch, StallSum& stalls) const {
        for (std::size_t t = 0; t < sums_.num_intervals.size(); ++t) {
            const ThreadTimeline& thread = timeline_.threads[first_ + t];
            const bool waits_for_end =
                thread.totals[static_cast<std::size_t>(Activity::Finished)] > 0;
            const std::uint64_t count = sums_.num_intervals[t];
            launch.num_intervals[first_ + t] = count + (count > 0 && waits_for_end ? 1 : 0);
        }
        const std::vector<std::uint32_t> lines = lines_of_launch();
        for (std::size_t line = 0; line < sums_.line_times.size(); ++line) {
            launch.line_times[lines[line]].busy += sums_.line_times[line].busy;
            launch.line_times[lines[line]].waiting += sums_.line_times[line].waiting;
        }
        for (const StallRow& row : sums_.stalls) {
            stalls.add(moved(row, lines));
        }
    }

private:
    /// Returns the number in the launch of each line of the part.
    [[nodiscard]] std::vector<std::uint32_t> lines_of_launch() const {
        std::vector<std::uint32_t> numbers(sums_.lines.lines().size());
        for (std::uint32_t t = 0; t < sums_.num_intervals.size(); ++t) {
            const auto whole = static_cast<std::uint32_t>(first_ + t);
            for (std::size_t s = 0; s < timeline_.threads[whole].sites.size(); ++s) {
                const auto site = static_cast<std::uint16_t>(s);
                numbers[sums_.lines.index(t, site)] = lines_.index(whole, site);
            }
        }
        return numbers;
    }
    /// Returns a row on the part's device, with the launch's lines and times.
    [[nodiscard]] StallRow moved(StallRow row, std::span<const std::uint32_t> lines) const {
        row.stall.waiter_line = lines[row.stall.waiter_line];
        row.stall.ender_line = lines[row.stall.ender_line];
        row.stall.worst_begin += later_;
        row.stall.worst_end += later_;
        if (is_one_device_) {
            row.stall.worst_device = device_;
            row.stall.ender_device = device_;
        }
        return row;
    }

    const LaunchTimeline& timeline_;
    const LineTable& lines_;
    const IntervalSums& sums_;
    std::size_t first_;  ///< thread of the launch
    std::uint16_t device_ = 0;
    bool is_one_device_ = false;
    Millicycles later_ = 0;  ///< start of the part, from where it was replayed
};

}  // namespace

IntervalSums sum_intervals(const std::vector<std::string>& names, const LaunchTimeline& part,
                           Stalls stalls) {
    IntervalSums sums{.end = part.makespan, .num_intervals = {}, .lines = LineTable(names, part)};
    sums.num_intervals.reserve(part.threads.size());
    for (const ThreadTimeline& thread : part.threads) {
        sums.num_intervals.push_back(intervals_before_end(thread));
    }
    sums.line_times = line_times_of(part, sums.lines);
    if (stalls == Stalls::Summed) {
        sums.stalls = stall_rows(part, sums.lines);
    }
    return sums;
}

LaunchSums join_sums(const LaunchTimeline& timeline, const LineTable& lines,
                     std::span<const IntervalSums* const> parts, std::size_t most_stalls) {
    LaunchSums launch;
    launch.num_intervals.resize(timeline.threads.size());
    launch.line_times.resize(lines.lines().size());
    StallSum stalls;
    std::size_t first = 0;
    for (const IntervalSums* const sums : parts) {
        PartOfLaunch(timeline, lines, *sums, first).add_to(launch, stalls);
        first += sums->num_intervals.size();
    }
    launch.stalls = std::move(stalls).worst(most_stalls);
    return launch;
}

}  // namespace tessera::report
