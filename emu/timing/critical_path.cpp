// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/critical_path.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "emu/timing/path_pruning.hpp"
#include "tessera/errors.hpp"

namespace tessera::timing {
namespace {

/// A point in time of a thread.
struct Moment {
    std::uint32_t thread = kNoThread;
    Millicycles time = 0;
};

/// Walk back from the makespan: its position and the steps so far.
class Walk {
public:
    explicit Walk(const LaunchTimeline& timeline) : timeline_(timeline), at_(last(timeline)) {}

    std::vector<PathStep> run() {
        while (at_.time > 0) {
            if (!step()) {
                return {};
            }
        }
        std::ranges::reverse(steps_);
        return std::move(steps_);
    }

private:
    /// Returns the end of the first thread that works until the makespan.
    static Moment last(const LaunchTimeline& timeline) {
        for (std::uint32_t i = 0; i < timeline.threads.size(); ++i) {
            const auto& intervals = timeline.threads[i].intervals;
            if (!intervals.empty() && intervals.back().activity != Activity::Finished) {
                return {i, timeline.makespan};
            }
        }
        return {};
    }

    /// Moves to the interval or cause before. Returns false if it has been pruned.
    bool step() {
        const auto& intervals = timeline_.threads[at_.thread].intervals;
        const auto found = std::ranges::lower_bound(intervals, at_.time, {}, &Interval::end);
        ensure(found != intervals.end(), "thread {} has no interval at {}", at_.thread, at_.time);
        if (found->cause == kPruned) {
            return false;
        }
        const Millicycles begin = found == intervals.begin() ? 0 : std::prev(found)->end;
        if (found->cause == kNoCause) {
            add({begin, at_.time, at_.thread, found->site, found->activity, ResourceKind::None});
            at_.time = begin;
            num_jumps_ = 0;
            return true;
        }
        follow(timeline_.causes[found->cause], found->activity);
        return true;
    }

    // One block for each kind, the last kind first: a transfer accounts how long each kind took in
    // all, not when.
    void follow(const WaitCause& cause, Activity wait) {
        Millicycles unsaid =
            at_.time - cause.time -
            std::accumulate(cause.transit.begin(), cause.transit.end(), Millicycles{0});
        for (std::size_t kind = cause.transit.size(); kind > 0; --kind) {
            const bool is_more = cause.transit[kind - 1] == WaitCause::kMost;
            const Millicycles time =
                cause.transit[kind - 1] + (is_more ? std::exchange(unsaid, 0) : 0);
            if (time > 0) {
                add({at_.time - time, at_.time, cause.thread, cause.site, wait,
                     static_cast<ResourceKind>(kind - 1)});
                at_.time -= time;
                num_jumps_ = 0;
            }
        }
        // Two threads may wake each other at the same time. A walk that alternates between them and
        // gets no earlier would not end; it is a fault of the replay.
        ensure(at_.time == cause.time && ++num_jumps_ <= 2 * timeline_.threads.size() + 2,
               "a wait of thread {} that ended at {} does not lead back to {}", at_.thread,
               at_.time, cause.time);
        at_.thread = cause.thread;
    }

    // Merges equal steps of a loop.
    void add(const PathStep& step) {
        if (!steps_.empty()) {
            PathStep& later = steps_.back();
            if (later.thread == step.thread && later.site == step.site &&
                later.activity == step.activity && later.resource == step.resource) {
                later.begin = step.begin;
                return;
            }
        }
        steps_.push_back(step);
    }

    const LaunchTimeline& timeline_;
    Moment at_;
    std::uint64_t num_jumps_ = 0;  ///< jumps to other threads since the last step that took time
    std::vector<PathStep> steps_;  ///< latest first
};

}  // namespace

std::vector<PathStep> critical_path(const LaunchTimeline& timeline) {
    return Walk(timeline).run();
}

PathShares shares_of(const LaunchTimeline& timeline) {
    PathShares shares;
    std::map<std::pair<std::uint32_t, TraceSite>, Millicycles> lines;
    for (const PathStep& step : timeline.critical_path) {
        const Millicycles time = step.end - step.begin;
        const ThreadTimeline& thread = timeline.threads.at(step.thread);
        if (step.resource == ResourceKind::None) {
            shares.activities[static_cast<std::size_t>(step.activity)] += time;
        } else {
            shares.resources[static_cast<std::size_t>(step.resource)] += time;
        }
        lines[{thread.kernel, thread.sites.at(step.site)}] += time;
    }
    for (const auto& [line, time] : lines) {
        shares.lines.push_back({line.first, line.second, time});
    }
    // Stable, over the map's order: lines of equal shares have the same order in every report.
    std::ranges::stable_sort(shares.lines, std::greater{}, &LineShare::time);
    return shares;
}

}  // namespace tessera::timing
