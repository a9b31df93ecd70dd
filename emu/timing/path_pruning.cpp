// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/path_pruning.hpp"

#include <algorithm>
#include <vector>

#include "emu/timing/state.hpp"

namespace tessera::timing {
namespace {

class Pruning {
public:
    Pruning(ReplayState& state, Millicycles until) : state_(state), until_(until) {
        for (const EngineThread& thread : state.threads) {
            const auto& intervals = thread.log.intervals();
            const auto first = std::ranges::upper_bound(intervals, until, {}, &Interval::end);
            recent_.push_back(static_cast<std::size_t>(first - intervals.begin()));
            is_marked_.emplace_back(recent_.back());
        }
    }

    void run() {
        for (std::uint32_t thread = 0; thread < recent_.size(); ++thread) {
            mark_roots(thread);
        }
        for (std::uint32_t thread = 0; thread < recent_.size(); ++thread) {
            state_.threads[thread].log.replace_intervals(kept_of(thread));
        }
        state_.causes = std::move(kept_causes_);
    }

private:
    /// Marks the older intervals that recent intervals of a thread lead to: the one before them,
    /// and the causes of their waits. Recent causes lead to recent intervals, which are kept
    /// anyway.
    void mark_roots(std::uint32_t thread) {
        const auto& intervals = state_.threads[thread].log.intervals();
        if (recent_[thread] > 0) {
            mark(thread, intervals[recent_[thread] - 1].end);
        }
        for (std::size_t i = recent_[thread]; i < intervals.size(); ++i) {
            mark_cause(intervals[i].cause);
        }
        const EngineThread& waiting = state_.threads[thread];
        if (waiting.block != Block::None && waiting.woken_by.thread != kNoThread) {
            mark(waiting.woken_by.thread, waiting.woken_by.time);
        }
    }
    void mark_cause(std::uint32_t cause) {
        if (cause < kPruned && state_.causes[cause].time <= until_) {
            mark(state_.causes[cause].thread, state_.causes[cause].time);
        }
    }
    /// Marks intervals along the walk back from a moment, up to one that is already marked.
    void mark(std::uint32_t thread, Millicycles time) {
        while (time > 0) {
            const auto& intervals = state_.threads[thread].log.intervals();
            const auto found = std::ranges::lower_bound(intervals, time, {}, &Interval::end);
            const auto index = static_cast<std::size_t>(found - intervals.begin());
            if (index >= recent_[thread] || is_marked_[thread][index]) {
                return;
            }
            is_marked_[thread][index] = true;
            if (found->cause == kPruned) {
                return;
            }
            if (found->cause == kNoCause) {
                time = index == 0 ? 0 : intervals[index - 1].end;
            } else {
                thread = state_.causes[found->cause].thread;
                time = state_.causes[found->cause].time;
            }
        }
    }
    /// Returns the marked and recent intervals of a thread, and one for each stretch of others.
    [[nodiscard]] std::vector<Interval> kept_of(std::uint32_t thread) {
        const auto& intervals = state_.threads[thread].log.intervals();
        std::vector<Interval> kept;
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            const bool stays = i >= recent_[thread] || is_marked_[thread][i];
            if (stays) {
                kept.push_back(intervals[i]);
                kept.back().cause = kept_cause(intervals[i].cause);
            } else if (!kept.empty() && kept.back().cause == kPruned) {
                kept.back().end = intervals[i].end;
            } else {
                kept.push_back({intervals[i].end, kPruned, 0, 0, intervals[i].activity});
            }
        }
        return kept;
    }
    /// Drops the causes of pruned intervals. Each cause has one interval.
    [[nodiscard]] std::uint32_t kept_cause(std::uint32_t cause) {
        if (cause >= kPruned) {
            return cause;
        }
        kept_causes_.push_back(state_.causes[cause]);
        return static_cast<std::uint32_t>(kept_causes_.size() - 1);
    }

    ReplayState& state_;
    Millicycles until_;
    std::vector<std::size_t> recent_;           ///< by thread: first interval that is kept unmarked
    std::vector<std::vector<bool>> is_marked_;  ///< by thread and interval before that
    std::vector<WaitCause> kept_causes_;
};

}  // namespace

void prune_paths(ReplayState& state) {
    PruningSchedule& schedule = state.pruning;
    const Millicycles until = schedule.until + (state.now - schedule.until) / 4 * 3;
    Pruning(state, until).run();
    schedule.until = until;
    // If many causes are kept, pruning again soon would cost more time than the memory is worth.
    schedule.limit = std::max(state.options.most_causes, 2 * state.causes.size());
}

}  // namespace tessera::timing
