// SPDX-License-Identifier: Apache-2.0
// Times a run under the advisor's rules. A launch that a rule does not touch keeps its time without
// a replay, and a launch whose times are in the run's cache of launches is not replayed either.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emu/timing/identical_devices.hpp"
#include "emu/timing/run.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/advice.hpp"
#include "runtime/study/advice_devices.hpp"
#include "runtime/study/draw_estimate.hpp"
#include "runtime/study/launch_cache.hpp"
#include "runtime/study/launch_key.hpp"
#include "runtime/study/recorded_run.hpp"

namespace tessera::advise {

/// Times of a run under a rule.
struct RuleTimes {
    /// Has, for each launch, times, ends, regimes and ensemble; for the run, makespan and ensemble.
    report::TimingReport report;
    std::vector<std::vector<Millicycles>> device_times;  ///< by launch, by device of the mesh
    /// By launch and draw: time divided by the time under the stated constants (DrawEstimate).
    std::vector<std::vector<double>> factors;
};

/// Replays of one run under rules.
class RuleReplays {
public:
    /// Draws of constants for the verdict on a change. Both runs of a pair have the same draw.
    static constexpr timed_run::Draws kDraws{};

    /// `before` is the report of the unedited run, with paths and kDraws. All arguments outlive the
    /// object.
    RuleReplays(const compare::RecordedRun& run, const report::TimingReport& before,
                RuleDevices devices);

    /// Replays the run under the rule with the stated constants. Returns nothing if no launch
    /// changes.
    /// Errors   InternalError if an edit leaves a wait without an end.
    [[nodiscard]] std::optional<RuleTimes> replay(const Rule& rule) const;

    /// Fills the ensembles of `times`: for a change, with its times under draws of the constants;
    /// for a bound, which no schedule can reach, with its time under the stated constants only.
    /// Precondition   `times` is a result of replay().
    void draw(const Rule& rule, RuleTimes& times) const;

    /// Returns the report of the unedited run, with the ensembles to which rules of the kind are
    /// paired.
    [[nodiscard]] const report::TimingReport& before(RuleKind kind) const noexcept {
        return kind == RuleKind::Change ? drawn_ : before_;
    }

private:
    /// A rule, the machine to replay it on, and keys of launches there.
    struct RuleMachine {
        const Rule& rule;
        timing::Machine machine;
        timed_run::LaunchKeys keys;
    };
    /// Times of a launch, or of one of its parts, under a rule.
    struct LaunchTimes {
        bool is_touched = false;
        std::vector<Millicycles> by_device;
        std::vector<double> factors;  ///< by draw
        timing::RegimeTimes regimes{};
    };
    /// A launch as a rule has it, if the rule touches it.
    struct EditedLaunch {
        bool is_touched = false;
        std::optional<LaunchTrace> copy;  ///< none: the recorded launch
    };

    [[nodiscard]] bool is_touched(const Rule& rule, std::size_t launch) const;
    /// Returns the times of a launch without the rule.
    [[nodiscard]] LaunchTimes unedited(std::size_t launch) const;
    /// Applies a rule to one part of a launch, or to all of a joint launch.
    [[nodiscard]] EditedLaunch edit(const Rule& rule, std::size_t launch,
                                    const timing::LaunchPart& part) const;
    /// Replays a part whose devices may begin at `starts`, unless the cache has its times.
    [[nodiscard]] LaunchTimes replay_part(const RuleMachine& on, std::size_t launch,
                                          const timing::LaunchPart& part,
                                          std::span<const Millicycles> starts) const;
    /// Replays the deciding parts of a launch, if the rule touches them. Starts matter only for the
    /// device that ends last.
    [[nodiscard]] LaunchTimes replay_parts(const RuleMachine& on, std::size_t launch,
                                           std::span<const Millicycles> starts) const;
    void add_draws(const RuleTimes& times, report::TimingReport& report) const;

    const compare::RecordedRun& run_;
    report::TimingReport before_;  ///< its ensembles have the stated constants as one draw
    report::TimingReport drawn_;   ///< before_ with draws
    std::vector<TimingSpec> draws_;
    timed_run::DrawEstimate estimate_;
    RuleTimes unedited_;  ///< device times and factors of the unedited run
    std::vector<timing::LaunchPartition> partitions_;  ///< of unedited launches
    std::vector<std::vector<std::size_t>> replayed_;   ///< by launch: parts_to_replay()
    /// By launch and Bound: time of the critical path that the bound's constants price.
    std::vector<std::vector<Millicycles>> time_by_bound_;
    timed_run::LaunchCache own_cache_;  ///< in memory, for a run without a cache
    timed_run::LaunchCache& cache_;
};

}  // namespace tessera::advise
