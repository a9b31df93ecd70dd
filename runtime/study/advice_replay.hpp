// SPDX-License-Identifier: Apache-2.0
// Times a run under the advisor's rules. A launch that a rule does not touch keeps the time that it
// took as recorded, without a replay.
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

/// A run under a rule.
struct RuleTimes {
    /// Of each launch times, ends, regimes and ensemble; of the run makespan and ensemble.
    report::TimingReport report;
    std::vector<std::vector<Millicycles>> device_times;  ///< by launch, by device of the mesh
};

class RuleReplays {
public:
    /// `before` is the report of the run as recorded, with paths. What is passed outlives this.
    RuleReplays(const compare::RecordedRun& run, const report::TimingReport& before);

    /// Replays the run under the rule, with constants as stated. None if no launch is touched.
    /// Errors   InternalError if an edit leaves waits that nothing ends.
    [[nodiscard]] std::optional<RuleTimes> replay(const Rule& rule) const;

    /// Replays the run as recorded under draws of its constants.
    void draw();
    /// Fills the ensembles of `times`: of a change by a replay under each draw, of a bound, which
    /// nobody can follow, by its time under stated constants alone.
    /// Precondition   draw() was called if the rule is a change; `times` is what replay() gave.
    void draw(const Rule& rule, RuleTimes& times) const;

    /// The report of the run as recorded, with ensembles that rules of the kind are paired with.
    [[nodiscard]] const report::TimingReport& before(RuleKind kind) const noexcept {
        return kind == RuleKind::Change ? drawn_ : before_;
    }

private:
    /// The run as recorded under one timing.
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
    report::TimingReport drawn_;   ///< the same with the draws of draw()
    Sample stated_;
    std::vector<Sample> draws_;
    std::vector<timing::LaunchPartition> partitions_;  ///< of launches as recorded
    /// By launch, by Bound: time of the critical path that the bound's constants price.
    std::vector<std::vector<Millicycles>> time_by_bound_;
};

}  // namespace tessera::advise
