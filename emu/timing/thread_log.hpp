// SPDX-License-Identifier: Apache-2.0
// Log of one thread's activities up to its current time, without gaps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emu/timing/replay.hpp"
#include "tessera/timeline.hpp"

namespace tessera::timing {

class ThreadLog {
public:
    ThreadLog() = default;
    /// Reserves memory for `expected` intervals, if all are kept.
    ThreadLog(Keep keeps, std::size_t expected) : keeps_intervals_(keeps != Keep::Totals) {
        intervals_.reserve(keeps == Keep::Intervals ? expected : 0);
    }

    [[nodiscard]] Millicycles now() const noexcept { return now_; }

    /// Advances the thread by `duration` ≥ 0. Extends the last interval if that is the same
    /// activity of the same line, so that a loop of equal calls is one interval.
    void spend(Activity activity, std::uint16_t site, Millicycles duration);
    /// Logs a wait until `end` ≥ now.
    void wait(Activity activity, std::uint16_t site, std::uint32_t object, Millicycles end,
              std::uint32_t cause);

    [[nodiscard]] const std::array<Millicycles, kNumActivities>& totals() const noexcept {
        return totals_;
    }
    [[nodiscard]] const std::vector<Interval>& intervals() const noexcept { return intervals_; }
    /// Precondition   the last interval ends now.
    void replace_intervals(std::vector<Interval> intervals) noexcept {
        intervals_ = std::move(intervals);
    }
    [[nodiscard]] std::vector<Interval> take_intervals() noexcept { return std::move(intervals_); }

private:
    Millicycles now_ = 0;
    bool keeps_intervals_ = true;
    std::vector<Interval> intervals_;
    std::array<Millicycles, kNumActivities> totals_{};
};

inline void ThreadLog::spend(Activity activity, std::uint16_t site, Millicycles duration) {
    if (duration == 0) {
        return;
    }
    now_ += duration;
    totals_[static_cast<std::size_t>(activity)] += duration;
    if (!keeps_intervals_) {
        return;
    }
    if (!intervals_.empty() && intervals_.back().activity == activity &&
        intervals_.back().site == site) {
        intervals_.back().end = now_;
    } else {
        intervals_.push_back({now_, kNoCause, 0, site, activity});
    }
}

inline void ThreadLog::wait(Activity activity, std::uint16_t site, std::uint32_t object,
                            Millicycles end, std::uint32_t cause) {
    if (end <= now_) {
        return;
    }
    totals_[static_cast<std::size_t>(activity)] += end - now_;
    now_ = end;
    if (keeps_intervals_) {
        intervals_.push_back({now_, cause, object, site, activity});
    }
}

}  // namespace tessera::timing
