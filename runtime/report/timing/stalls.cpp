// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/stalls.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime/report/timing/activity_words.hpp"

namespace tessera::report {
namespace {

/// Cumulated busy time of a thread, by time.
class BusyClock {
public:
    explicit BusyClock(const ThreadTimeline& thread) : thread_(thread) {
        Millicycles begin = 0;
        Millicycles busy = 0;
        busy_.reserve(thread.intervals.size());
        for (const Interval& interval : thread.intervals) {
            busy += is_busy(interval.activity) ? interval.end - begin : 0;
            begin = interval.end;
            busy_.push_back(busy);
        }
    }
    [[nodiscard]] Millicycles before(Millicycles time) {
        const auto& intervals = thread_.intervals;
        last_ = find(time);
        if (last_ == intervals.size()) {
            return busy_.empty() ? 0 : busy_.back();
        }
        const Interval& at = intervals[last_];
        return is_busy(at.activity) ? busy_[last_] - (at.end - time) : busy_[last_];
    }

private:
    /// Returns the first interval that ends at `time` or later. Searches from the last one found,
    /// since a thread's waits follow each other: with searches of the whole list, stalls took 10 %
    /// of a run of deepseek_v32_prefill.
    [[nodiscard]] std::size_t find(Millicycles time) const {
        const auto& intervals = thread_.intervals;
        std::size_t low = last_;
        std::size_t high = last_;
        std::size_t step = 1;
        for (; high < intervals.size() && intervals[high].end < time; step *= 2) {
            low = high + 1;
            high = std::min(intervals.size(), high + step);
        }
        for (; low > 0 && intervals[low - 1].end >= time; step *= 2) {
            high = low - 1;
            low -= std::min(low, step);
        }
        const auto first = intervals.begin() + static_cast<std::ptrdiff_t>(low);
        const auto last = intervals.begin() + static_cast<std::ptrdiff_t>(high);
        const auto at = std::ranges::lower_bound(first, last, time, {}, &Interval::end);
        return static_cast<std::size_t>(at - intervals.begin());
    }

    const ThreadTimeline& thread_;
    std::vector<Millicycles> busy_;
    std::size_t last_ = 0;
};

/// Wait of one thread.
struct Wait {
    std::uint32_t thread = 0;
    const Interval& interval;
    Millicycles begin = 0;
    const WaitCause* cause = nullptr;
};

/// Key of the waits of one row, packed into few words because each wait needs a lookup.
struct StallKey {
    std::uint64_t who = 0;   ///< activity, waiter, ender and the ender's line
    std::uint64_t what = 0;  ///< the waiter's line and the kind of object
    friend bool operator==(const StallKey&, const StallKey&) = default;
};

struct HashOfKey {
    std::size_t operator()(const StallKey& key) const noexcept {
        constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio
        return (key.who * kOdd) ^ ((key.what + kOdd) * kOdd >> 7U);
    }
};

// Returns the object's class: for places on the NoC, whether they are DRAM; nothing for registers
// and interfaces.
std::uint32_t object_key(Activity activity, std::uint32_t object) {
    switch (activity) {
        case Activity::WaitNocRead:
        case Activity::WaitNocWrite:
            return NocPlace{static_cast<std::uint16_t>(object)}.is_dram() ? 1 : 0;
        case Activity::WaitCbData:
        case Activity::WaitCbSpace:
        case Activity::WaitSemaphore:
        case Activity::WaitFabric:
            return object;
        default:
            return 0;
    }
}

/// Threads and lines of a row: the one that waits, and the one that ends the wait. Each wait looks
/// its row up by them, which is faster than by the texts of a StallReport.
struct StallEnds {
    Activity activity{};
    TimelineThread waiter{};
    std::uint32_t waiter_line = 0;
    std::optional<TimelineThread> ender;
    std::uint32_t ender_line = 0;
};

/// Returns the key of a row, whose object has the number `object`.
StallKey stall_key(const StallEnds& ends, std::uint32_t object) {
    const std::uint64_t ender = ends.ender ? 1 + static_cast<std::uint64_t>(*ends.ender) : 0;
    return {static_cast<std::uint64_t>(ends.activity) |
                static_cast<std::uint64_t>(ends.waiter) << 8U | ender << 16U |
                std::uint64_t{ends.ender_line} << 32U,
            std::uint64_t{ends.waiter_line} << 32U | object};
}

Millicycles worst_length(const StallReport& stall) {
    return stall.worst_end - stall.worst_begin;
}

/// Adds the waits of `more`, which come later, to a row.
void add_waits(const StallReport& more, StallReport& row) {
    if (worst_length(more) > worst_length(row)) {
        row.worst_device = more.worst_device;
        row.worst_core = more.worst_core;
        row.worst_begin = more.worst_begin;
        row.worst_end = more.worst_end;
        row.worst_object = more.worst_object;
        row.ender_device = more.ender_device;
        row.ender_core = more.ender_core;
    }
    row.total += more.total;
    row.direct += more.direct;
    row.count += more.count;
    for (std::size_t kind = 0; kind < kNumResourceKinds; ++kind) {
        row.transit[kind] += more.transit[kind];
    }
}

class StallTable {
public:
    StallTable(const LaunchTimeline& timeline, const LineTable& lines)
        : timeline_(timeline), lines_(lines) {
        for (const ThreadTimeline& thread : timeline.threads) {
            clocks_.emplace_back(thread);
        }
    }

    void add(const Wait& wait) {
        const Interval& interval = wait.interval;
        StallReport& stall = row_of(wait);
        const Millicycles length = interval.end - wait.begin;
        if (length > worst_length(stall)) {
            note_worst(wait, stall);
        }
        stall.total += length;
        stall.direct += direct_of(wait);
        ++stall.count;
        add_transit(wait, stall);
    }
    [[nodiscard]] std::vector<StallRow> rows() && { return std::move(rows_); }

private:
    // A thread that ends its own wait has only issued the transfer, so the transfer is the cause.
    [[nodiscard]] bool has_ender(const Wait& wait) const {
        return wait.cause != nullptr && wait.cause->thread < timeline_.threads.size() &&
               wait.cause->thread != wait.thread;
    }
    StallReport& row_of(const Wait& wait) {
        const ThreadTimeline& thread = timeline_.threads[wait.thread];
        const Interval& interval = wait.interval;
        StallEnds ends{.activity = interval.activity,
                       .waiter = thread.thread,
                       .waiter_line = lines_.index(wait.thread, interval.site)};
        if (has_ender(wait)) {
            ends.ender = timeline_.threads[wait.cause->thread].thread;
            ends.ender_line = lines_.index(wait.cause->thread, wait.cause->site);
        }
        const std::uint32_t object = object_key(interval.activity, interval.object);
        const auto [found, is_new] = known_.try_emplace(stall_key(ends, object), rows_.size());
        if (is_new) {
            rows_.push_back({{.activity = ends.activity,
                              .object = object_class(interval.activity, interval.object),
                              .waiter = ends.waiter,
                              .waiter_line = ends.waiter_line,
                              .ender = ends.ender,
                              .ender_line = ends.ender_line},
                             object});
        }
        return rows_[found->second].stall;
    }
    void note_worst(const Wait& wait, StallReport& stall) const {
        const ThreadTimeline& thread = timeline_.threads[wait.thread];
        const ThreadTimeline& ender =
            has_ender(wait) ? timeline_.threads[wait.cause->thread] : thread;
        stall.worst_device = thread.device;
        stall.worst_core = thread.core;
        stall.worst_begin = wait.begin;
        stall.worst_end = wait.interval.end;
        stall.worst_object = object_name(wait.interval.activity, wait.interval.object);
        stall.ender_device = ender.device;
        stall.ender_core = ender.core;
    }
    // The whole wait except the time in which the ender waited too.
    [[nodiscard]] Millicycles direct_of(const Wait& wait) {
        const Millicycles length = wait.interval.end - wait.begin;
        if (!has_ender(wait) || wait.cause->time <= wait.begin) {
            return length;
        }
        BusyClock& clock = clocks_[wait.cause->thread];
        const Millicycles travelled = wait.interval.end - wait.cause->time;
        const Millicycles before_wait = clock.before(wait.begin);
        return travelled + clock.before(wait.cause->time) - before_wait;
    }
    // Transit before the start of the wait does not count; the rest is scaled in proportion.
    static void add_transit(const Wait& wait, StallReport& stall) {
        if (wait.cause == nullptr) {
            return;
        }
        const Millicycles whole = wait.interval.end - wait.cause->time;
        const Millicycles part = std::min(whole, wait.interval.end - wait.begin);
        for (std::size_t kind = 0; kind < kNumResourceKinds && whole > 0; ++kind) {
            if (wait.cause->transit[kind] == 0) {
                continue;  // most kinds: this saves their divisions
            }
            const auto share = static_cast<double>(wait.cause->transit[kind]) *
                               static_cast<double>(part) / static_cast<double>(whole);
            stall.transit[kind] += static_cast<Millicycles>(share);
        }
    }

    const LaunchTimeline& timeline_;
    const LineTable& lines_;
    std::vector<BusyClock> clocks_;
    std::unordered_map<StallKey, std::size_t, HashOfKey> known_;
    std::vector<StallRow> rows_;  ///< by first wait
};

}  // namespace

std::vector<StallRow> stall_rows(const LaunchTimeline& timeline, const LineTable& lines) {
    StallTable table(timeline, lines);
    const auto cause_of = [&](const Interval& interval) {
        const bool is_known = interval.cause < timeline.causes.size();
        return is_known ? &timeline.causes[interval.cause] : nullptr;
    };
    for (std::uint32_t t = 0; t < timeline.threads.size(); ++t) {
        Millicycles begin = 0;
        const std::vector<Interval>& intervals = timeline.threads[t].intervals;
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            // Causes of one thread are far apart in memory: without this call two thirds of the time
            // of this function were one load.
            constexpr std::size_t kAhead = 16;
            if (i + kAhead < intervals.size()) {
                __builtin_prefetch(cause_of(intervals[i + kAhead]));
            }
            if (is_wait(intervals[i].activity)) {
                table.add({t, intervals[i], begin, cause_of(intervals[i])});
            }
            begin = intervals[i].end;
        }
    }
    return std::move(table).rows();
}

void StallSum::add(StallRow row) {
    const StallReport& stall = row.stall;
    const StallKey key = stall_key({.activity = stall.activity,
                                    .waiter = stall.waiter,
                                    .waiter_line = stall.waiter_line,
                                    .ender = stall.ender,
                                    .ender_line = stall.ender_line},
                                   row.object);
    const auto [found, is_new] = known_.try_emplace({key.who, key.what}, stalls_.size());
    if (is_new) {
        stalls_.push_back(std::move(row.stall));
    } else {
        add_waits(row.stall, stalls_[found->second]);
    }
}

std::vector<StallReport> StallSum::worst(std::size_t limit) && {
    std::ranges::stable_sort(stalls_, [](const StallReport& a, const StallReport& b) {
        return std::pair(a.direct, a.total) > std::pair(b.direct, b.total);
    });
    stalls_.resize(std::min(stalls_.size(), limit));
    return std::move(stalls_);
}

}  // namespace tessera::report
