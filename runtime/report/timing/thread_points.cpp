// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/thread_points.hpp"

#include <algorithm>
#include <array>

namespace tessera::report {
namespace {

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

std::vector<TimelinePoint> merged(std::span<const Interval> intervals, Millicycles shortest) {
    std::vector<TimelinePoint> points;
    Stretch stretch;
    Millicycles begin = 0;
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

}  // namespace

ThreadPoints draw_points(std::span<const Interval> intervals, std::size_t limit) {
    if (intervals.size() <= limit) {
        ThreadPoints all;
        std::ranges::transform(intervals, std::back_inserter(all.points), point_of);
        return all;
    }
    const Millicycles makespan = intervals.back().end;
    const auto divisor = static_cast<Millicycles>(std::max<std::size_t>(limit, 1));
    const Millicycles shortest = std::max<Millicycles>(1, 2 * makespan / divisor);
    return {merged(intervals, shortest), shortest};
}

}  // namespace tessera::report
