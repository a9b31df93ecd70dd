// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/draw_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tessera::report {
namespace {

constexpr std::size_t kFewestPoints = 96;  // below, a thread's picture says nothing
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
    for (const auto& [key, core] : by_core) {
        cores.push_back(core);
    }
    std::ranges::stable_sort(cores, [](const CoreRank& a, const CoreRank& b) {
        return std::tie(a.on_path, a.finish) > std::tie(b.on_path, b.finish);
    });
    return cores;
}

/// Points of an item of a drawn core: its share of the budget by weight.
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

}  // namespace

DrawPlan plan_drawing(const std::vector<ThreadReport>& threads, const LaunchTrace& trace,
                      const LaunchTimeline& timeline, const DrawBudget& budget) {
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

}  // namespace tessera::report
