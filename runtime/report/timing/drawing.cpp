// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/drawing.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace tessera::report {
namespace {

constexpr std::size_t kFewestPoints = 96;  // with fewer, a thread's drawing has no information
constexpr std::size_t kPathWeight = 8;

using CoreKey = std::pair<std::uint16_t, CoreCoord>;

struct CoreRank {
    CoreKey key;
    Millicycles on_path = 0;
    Millicycles finish = 0;
    std::size_t num_threads = 0;
    std::size_t num_cbs = 0;
};

std::vector<CoreRank> ranked_cores(const std::vector<ThreadReport>& threads,
                                   const LaunchTrace& trace, const LaunchTimeline& timeline) {
    std::map<CoreKey, CoreRank> by_core;
    for (const ThreadReport& thread : threads) {
        const CoreKey key{thread.device, thread.core};
        CoreRank& core = by_core.try_emplace(key, CoreRank{.key = key}).first->second;
        core.on_path += thread.on_path;
        core.finish = std::max(core.finish, thread.finish);
        ++core.num_threads;
    }
    for (const CbLevel& level : timeline.cb_levels) {
        const CoreTrace& core = trace.cores.at(level.core);
        const CoreKey key{core.device, core.core};
        ++by_core.try_emplace(key, CoreRank{.key = key}).first->second.num_cbs;
    }
    std::vector<CoreRank> cores;
    cores.reserve(by_core.size());
    for (const auto& [key, core] : by_core) {
        cores.push_back(core);
    }
    std::ranges::stable_sort(cores, [](const CoreRank& a, const CoreRank& b) {
        return std::tie(a.on_path, a.finish) > std::tie(b.on_path, b.finish);
    });
    return cores;
}

/// Returns the points of an item of a drawn core: its share of the budget by weight.
class BudgetShares {
public:
    BudgetShares(const std::vector<CoreRank>& cores, std::size_t budget,
                 std::size_t CoreRank::*items)
        : budget_(budget) {
        std::size_t left = budget;
        for (const CoreRank& core : cores) {
            const std::size_t need = core.*items * kFewestPoints;
            if (need > left) {
                leaves_out_ = true;
                continue;
            }
            left -= need;
            const std::size_t weight = core.on_path > 0 ? kPathWeight : 1;
            weights_[core.key] = weight;
            sum_ += weight * core.*items;
        }
    }
    [[nodiscard]] std::size_t of(const CoreKey& core) const {
        const auto found = weights_.find(core);
        if (found == weights_.end() || sum_ == 0) {
            return 0;
        }
        return std::max(kFewestPoints, budget_ * found->second / sum_);
    }
    [[nodiscard]] bool leaves_out() const noexcept { return leaves_out_; }

private:
    std::size_t budget_;
    std::map<CoreKey, std::size_t> weights_;
    std::size_t sum_ = 0;
    bool leaves_out_ = false;
};

TimelinePoint point_of(const Interval& interval) {
    return {.end = interval.end,
            .activity = interval.activity,
            .line = interval.site,
            .object = interval.object,
            .cause = interval.cause};
}

/// Neighbouring short intervals that become one point.
class Stretch {
public:
    void add(const Interval& interval, Millicycles length) {
        if (num_ == 0) {
            only_ = interval;
            time_.fill(0);
            longest_.fill({});
        }
        const auto activity = static_cast<std::size_t>(interval.activity);
        time_[activity] += length;
        if (length > longest_[activity].length) {
            longest_[activity] = {length, interval.site};
        }
        end_ = interval.end;
        length_ += length;
        ++num_;
    }
    [[nodiscard]] Millicycles length() const noexcept { return length_; }
    void flush(std::vector<TimelinePoint>& points) {
        if (num_ == 1) {
            points.push_back(point_of(only_));
        } else if (num_ > 1) {
            const auto most = std::ranges::max_element(time_) - time_.begin();
            points.push_back({.end = end_,
                              .activity = static_cast<Activity>(most),
                              .is_merged = true,
                              .line = longest_[static_cast<std::size_t>(most)].site});
        }
        num_ = 0;
        length_ = 0;
    }

private:
    struct Longest {
        Millicycles length = 0;
        std::uint16_t site = 0;
    };
    std::size_t num_ = 0;
    Millicycles length_ = 0;
    Millicycles end_ = 0;
    Interval only_;
    std::array<Millicycles, kNumActivities> time_{};
    std::array<Longest, kNumActivities> longest_{};
};

std::vector<TimelinePoint> merged(std::span<const Interval> intervals, Millicycles begin,
                                  Millicycles shortest) {
    std::vector<TimelinePoint> points;
    Stretch stretch;
    for (const Interval& interval : intervals) {
        const Millicycles length = interval.end - begin;
        begin = interval.end;
        if (length >= shortest) {
            stretch.flush(points);
            points.push_back(point_of(interval));
            continue;
        }
        stretch.add(interval, length);
        if (stretch.length() >= shortest) {
            stretch.flush(points);
        }
    }
    stretch.flush(points);
    return points;
}

using Points = std::vector<std::pair<Millicycles, std::uint32_t>>;

double mean_of(const Points& pages, Millicycles makespan) {
    double sum = 0;
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const Millicycles end = i + 1 < pages.size() ? pages[i + 1].first : makespan;
        sum += static_cast<double>(pages[i].second) * static_cast<double>(end - pages[i].first);
    }
    return makespan > 0 ? sum / static_cast<double>(makespan) : 0;
}

Points merged(const Points& pages, Millicycles shortest) {
    Points points;
    for (const auto& [time, level] : pages) {
        if (points.empty() || time - points.back().first >= shortest) {
            points.emplace_back(time, level);
        } else {
            points.back().second = std::max(points.back().second, level);
        }
    }
    if (!points.empty() && points.back().second != pages.back().second) {
        points.push_back(pages.back());  // the fill at the end is not a peak
    }
    return points;
}

/// Plans the cores of a focus with equal points: each thread gets its part of a page's limit.
DrawPlan plan_focus(const std::vector<ThreadReport>& threads, const LaunchTrace& trace,
                    const LaunchTimeline& timeline, const Focus& focus) {
    const bool is_here = focus.holds_launch(trace.name);
    const Millicycles start = focus.step ? 0 : timeline.start;
    DrawPlan plan{.from = focus.from - start, .to = focus.to - start};
    const auto limit_of = [&](std::uint16_t device, CoreCoord core) {
        const bool is_drawn = is_here && focus.holds_core(device, core);
        plan.leaves_out = plan.leaves_out || !is_drawn;
        return is_drawn ? kMostFocusPoints : 0;
    };
    for (const ThreadReport& thread : threads) {
        plan.threads.push_back(limit_of(thread.device, thread.core));
    }
    for (const CbLevel& level : timeline.cb_levels) {
        const CoreTrace& core = trace.cores.at(level.core);
        plan.cbs.push_back(limit_of(core.device, core.core));
    }
    const auto drawn = std::ranges::count(plan.threads, kMostFocusPoints);
    std::ranges::replace(
        plan.threads, kMostFocusPoints,
        kMostFocusPoints / static_cast<std::size_t>(std::max<std::ptrdiff_t>(drawn, 1)));
    return plan;
}

ThreadPoints draw_from(std::span<const Interval> intervals, Millicycles begin, std::size_t limit) {
    if (intervals.size() <= limit) {
        ThreadPoints all;
        std::ranges::transform(intervals, std::back_inserter(all.points), point_of);
        return all;
    }
    const auto divisor = static_cast<Millicycles>(std::max<std::size_t>(limit, 1));
    const Millicycles length = intervals.back().end - begin;
    const Millicycles shortest = std::max<Millicycles>(1, 2 * length / divisor);
    return {merged(intervals, begin, shortest), shortest};
}

/// Returns all intervals as one stretch; nothing if there are none.
void add_one_stretch(std::span<const Interval> intervals, Millicycles begin,
                     std::vector<TimelinePoint>& points) {
    Stretch stretch;
    for (const Interval& interval : intervals) {
        stretch.add(interval, interval.end - begin);
        begin = interval.end;
    }
    stretch.flush(points);
}

}  // namespace

DrawPlan plan_drawing(const std::vector<ThreadReport>& threads, const LaunchTrace& trace,
                      const LaunchTimeline& timeline, const DrawBudget& budget) {
    if (budget.focus) {
        return plan_focus(threads, trace, timeline, *budget.focus);
    }
    const std::vector<CoreRank> cores = ranked_cores(threads, trace, timeline);
    const std::size_t launches = std::max<std::size_t>(budget.num_launches, 1);
    const BudgetShares points(cores, budget.points / launches, &CoreRank::num_threads);
    const BudgetShares levels(cores, budget.cb_points / launches, &CoreRank::num_cbs);
    DrawPlan plan{.leaves_out = points.leaves_out() || levels.leaves_out()};
    for (const ThreadReport& thread : threads) {
        plan.threads.push_back(points.of({thread.device, thread.core}));
    }
    for (const CbLevel& level : timeline.cb_levels) {
        const CoreTrace& core = trace.cores.at(level.core);
        plan.cbs.push_back(levels.of({core.device, core.core}));
    }
    return plan;
}

ThreadPoints draw_points(std::span<const Interval> intervals, std::size_t limit) {
    return draw_from(intervals, 0, limit);
}

ThreadPoints draw_window(std::span<const Interval> intervals, std::size_t limit, Millicycles from,
                         Millicycles to) {
    const auto first = std::ranges::upper_bound(intervals, from, {}, &Interval::end);
    // The interval that contains `to` is drawn.
    auto last = std::ranges::lower_bound(first, intervals.end(), to, {}, &Interval::end);
    last += last == intervals.end() ? 0 : 1;
    const std::span before(intervals.begin(), first);
    const std::span inside(first, last);
    const std::span behind(last, intervals.end());
    const Millicycles begin = before.empty() ? 0 : before.back().end;
    ThreadPoints drawn;
    add_one_stretch(before, 0, drawn.points);
    ThreadPoints middle = inside.empty() ? ThreadPoints{} : draw_from(inside, begin, limit);
    drawn.merged_below = middle.merged_below;
    drawn.points.insert(drawn.points.end(), middle.points.begin(), middle.points.end());
    add_one_stretch(behind, inside.empty() ? begin : inside.back().end, drawn.points);
    return drawn;
}

CbSeries cb_series(const CbLevel& level, const CoreTrace& core, Millicycles makespan,
                   std::size_t limit) {
    CbSeries series{.core = level.core, .cb = level.cb};
    const auto cb = std::ranges::find(core.cbs, level.cb, &CbTrace::index);
    series.capacity = cb == core.cbs.end() ? 0 : cb->pages;
    series.mean = mean_of(level.pages, makespan);
    for (const auto& [time, pages] : level.pages) {
        series.most = std::max(series.most, pages);
    }
    series.points = level.pages;
    if (level.pages.size() > limit) {
        const auto divisor = static_cast<Millicycles>(std::max<std::size_t>(limit, 1));
        series.merged_below = std::max<Millicycles>(1, makespan / divisor);
        series.points = merged(level.pages, series.merged_below);
    }
    return series;
}

}  // namespace tessera::report
