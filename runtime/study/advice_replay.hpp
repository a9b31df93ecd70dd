// SPDX-License-Identifier: Apache-2.0
// Times a run under the advisor's rules. A launch that a rule does not touch keeps its time without
// a replay.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emu/timing/identical_devices.hpp"
#include "emu/timing/run.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/advice.hpp"
#include "runtime/study/recorded_run.hpp"

namespace tessera::advise {

/// Times of a run under a rule.
struct RuleTimes {
    /// Has, for each launch, times, ends, regimes and ensemble; for the run, makespan and ensemble.
    report::TimingReport report;
    std::vector<std::vector<Millicycles>> device_times;  ///< by launch, by device of the mesh
};

/// Replays of one run under rules.
class RuleReplays {
public:
    /// `before` is the report of the unedited run, with paths. All arguments outlive the object.
    RuleReplays(const compare::RecordedRun& run, const report::TimingReport& before);

    /// Replays the run under the rule with the stated constants. Returns nothing if no launch
    /// changes.
    /// Errors   InternalError if an edit leaves a wait without an end.
    [[nodiscard]] std::optional<RuleTimes> replay(const Rule& rule) const;

    /// Replays the unedited run under draws of its constants.
    void draw();
    /// Fills the ensembles of `times`: for a change, by a replay under each draw; for a bound,
    /// which no schedule can reach, by its time under the stated constants only.
    /// Precondition   draw() was called if the rule is a change; `times` is a result of replay().
    void draw(const Rule& rule, RuleTimes& times) const;

    /// Returns the report of the unedited run, with the ensembles to which rules of the kind are
    /// paired.
    [[nodiscard]] const report::TimingReport& before(RuleKind kind) const noexcept {
        return kind == RuleKind::Change ? drawn_ : before_;
    }

private:
    /// The unedited run under one timing.
    struct Sample {
        TimingSpec timing;
        std::uint64_t start_seed = 0;
        std::vector<std::vector<Millicycles>> device_times;  ///< as RuleTimes
        Millicycles makespan = 0;
    };
    [[nodiscard]] bool is_touched(const Rule& rule, std::size_t launch) const;
    [[nodiscard]] std::optional<RuleTimes> replay(const Rule& rule, const Sample& sample,
                                                  const RuleTimes* known) const;
    [[nodiscard]] LaunchTimeline replay_launch(const Rule& rule, const Sample& sample,
                                               const RuleTimes* known, std::size_t launch,
                                               timing::RunReplay& replay, bool& touched) const;

    const compare::RecordedRun& run_;
    report::TimingReport before_;  ///< its ensembles have the stated constants as one draw
    report::TimingReport drawn_;   ///< before_ with the draws of draw()
    Sample stated_;
    std::vector<Sample> draws_;
    std::vector<timing::LaunchPartition> partitions_;  ///< of unedited launches
    /// By launch and Bound: time of the critical path that the bound's constants price.
    std::vector<std::vector<Millicycles>> time_by_bound_;
};

}  // namespace tessera::advise
