// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "runtime/study/advice_replay.hpp"
#include "runtime/study/compare.hpp"
#include "runtime/study/time_trace.hpp"
#include "tessera/errors.hpp"

namespace tessera::advise {
namespace {

using compare::paired_difference;
using compare::RecordedRun;
using report::TimingReport;
using timed_run::Detail;
using timed_run::RunTimer;

// A share of the time before, so that gains of a run and of its steps can be compared.
double gain_of(Millicycles before, Millicycles after) {
    return before == 0 ? 0 : 1 - static_cast<double>(after) / static_cast<double>(before);
}

/// Fills a finding from the reports before and after its rule: gains of the run and of each step,
/// with verdicts. Steps whose time changes by less than kLeastGain are not listed.
void note_gains(const TimingReport& before, const TimingReport& after, Finding& finding) {
    finding.makespan = after.makespan.expected;
    finding.gain = gain_of(before.makespan.expected, after.makespan.expected);
    finding.steps.clear();
    for (std::size_t i = 0; i < before.launches.size(); ++i) {
        const report::LaunchReport& launch = before.launches[i];
        const report::LaunchReport& changed = after.launches.at(i);
        const double gain = gain_of(launch.device_time.expected, changed.device_time.expected);
        // Losses stay in the list: a change may help one step and slow another.
        if (std::abs(gain) < kLeastGain) {
            continue;
        }
        // The place is the line or CB to change, so that a step which lost time has none.
        const bool has_place = gain > 0 && finding.rule.place != nullptr;
        finding.steps.push_back(
            {.name = launch.name,
             .gain = gain,
             .saved = launch.device_time.expected - changed.device_time.expected,
             .place = has_place ? finding.rule.place(launch) : "",
             .verdict = paired_difference({launch.device_time, launch.ensemble, before.clock},
                                          {changed.device_time, changed.ensemble, before.clock})
                            .verdict});
    }
    // By size, not by sign, so that a step which lost much is among the first.
    std::ranges::stable_sort(finding.steps, std::ranges::greater{},
                             [](const StepGain& step) { return std::abs(step.gain); });
    finding.verdict = paired_difference({before.makespan, before.ensemble, before.clock},
                                        {after.makespan, after.ensemble, before.clock})
                          .verdict;
}

/// Replays the rule. Returns nothing if the replay is impossible or gains nothing.
std::optional<RuleTimes> replay_rule(const RuleReplays& replays, Finding& finding) {
    std::optional<RuleTimes> times;
    try {
        times = replays.replay(finding.rule);
    } catch (const InternalError&) {
        // Work that an edit moved to another core can leave a wait that nothing ends, which the
        // replay reports.
        finding.refusal = "cores wait for one another: their work cannot be moved";
        return std::nullopt;
    }
    if (times) {
        note_gains(replays.before(finding.rule.kind), times->report, finding);
    } else if (finding.rule.edit) {
        finding.refusal = "nothing of the run is of that kind";
    }
    return is_worth_a_line(finding) ? std::move(times) : std::nullopt;
}

/// Returns whether another rule of the finding's family gains more.
bool is_beaten(const Finding& finding, const std::vector<Finding>& findings) {
    return !finding.rule.family.empty() && std::ranges::any_of(findings, [&](const Finding& other) {
        return other.rule.family == finding.rule.family && other.gain > finding.gain;
    });
}

/// Replays all rules under the stated constants, then grades the rules with a gain under draws.
void replay_rules(RuleReplays& replays, std::vector<Finding>& findings) {
    std::vector<std::optional<RuleTimes>> times(findings.size());
    // One slot for each rule, so that threads write without a lock and the order is that of the
    // rules.
    tbb::parallel_for(std::size_t{0}, findings.size(),
                      [&](std::size_t i) { times[i] = replay_rule(replays, findings[i]); });
    for (std::size_t i = 0; i < findings.size(); ++i) {
        findings[i].is_beaten = is_beaten(findings[i], findings);
        if (findings[i].is_beaten) {
            times[i].reset();
        }
    }
    tbb::parallel_for(std::size_t{0}, findings.size(), [&](std::size_t i) {
        if (times[i]) {
            replays.draw(findings[i].rule, *times[i]);
            note_gains(replays.before(findings[i].rule.kind), times[i]->report, findings[i]);
        }
    });
}

/// Returns the bank use of each step, from the trace alone: it needs no replay.
std::vector<BankCamping> banks_of(const RecordedRun& run) {
    std::vector<BankCamping> banks;
    for (const LaunchTrace& launch : run.trace.launches) {
        if (auto camping = bank_camping(launch, run.machine.arch.dram.num_banks, run.trace.names)) {
            banks.push_back(std::move(*camping));
        }
    }
    return banks;
}

/// Returns the load of the links; nothing for a launch that uses none. A mean far below the busiest
/// link shows that routes could be spread; equal ones that bytes have to be saved. In moe_v2 the
/// busiest link is occupied 77 % of gate, which gains 22 % without links.
std::optional<LinkLoad> links_of(const report::LaunchReport& launch) {
    LinkLoad load{.step = launch.name};
    double sum = 0;
    double links = 0;
    // By makespan, not by path: a link may be busy for long and delay nothing.
    const auto makespan = static_cast<double>(launch.makespan.expected);
    for (const ResourceUse& use : launch.resources) {
        // Unused links would lower the mean below that of the routes.
        if (use.kind == ResourceKind::NocLink && use.bytes > 0 && makespan > 0) {
            const double share = static_cast<double>(use.busy) / makespan;
            sum += share;
            ++links;
            if (share > load.busiest) {
                load.busiest = share;
                load.link = use;
            }
        }
    }
    if (links == 0) {
        return std::nullopt;
    }
    load.mean = sum / links;
    return load;
}

// By time above the bound, since the ratio of a short step may be large and worth nothing.
std::vector<StepOverBound> over_bound_of(const TimingReport& before) {
    std::vector<StepOverBound> steps;
    for (const report::LaunchReport& launch : before.launches) {
        if (launch.bound) {
            steps.push_back({launch.name, launch.device_time.expected, *launch.bound});
        }
    }
    std::ranges::stable_sort(steps, std::ranges::greater{}, &StepOverBound::excess);
    return steps;
}

std::vector<LinkLoad> links_of(const TimingReport& before) {
    std::vector<LinkLoad> loads;
    for (const report::LaunchReport& launch : before.launches) {
        if (const auto load = links_of(launch)) {
            loads.push_back(*load);
        }
    }
    return loads;
}

}  // namespace

bool is_worth_a_line(const Finding& finding) {
    return finding.refusal.empty() && finding.gain >= kLeastGain;
}

Advice advise(const RecordedRun& run, RuleDevices devices) {
    std::vector<RunTimer> timers;
    timers.emplace_back(run.name, run.machine,
                        // Paths are needed for the places of gains; nothing is drawn.
                        timed_run::TimerOptions{.draws = RuleReplays::kDraws,
                                                .detail = Detail::Full,
                                                .budget = {.points = 0, .cb_points = 0},
                                                .cache = run.cache});
    // One replay of the unedited run gives the critical paths, from which rules choose lines and
    // bounds.
    const TimingReport before = timed_run::time_trace(run, timers).front();
    Advice advice{.run = fmt::format("{} on {}", run.name, run.machine.arch.name),
                  .clock = before.clock,
                  .makespan = before.makespan.expected,
                  .bound = before.bound,
                  .over_bound = over_bound_of(before),
                  .findings = {},
                  .banks = banks_of(run),
                  .links = links_of(before)};
    // Rules without a gain are listed too, so that a reader sees which were tried.
    for (const Rule& rule : all_rules()) {
        advice.findings.push_back({.rule = rule, .makespan = advice.makespan});
    }
    RuleReplays replays(run, before, devices);
    replay_rules(replays, advice.findings);
    std::ranges::stable_sort(advice.findings, {}, [](const Finding& finding) {
        // Changes first: a bound is not something that a user can do.
        return std::pair(finding.rule.kind, -finding.gain);
    });
    return advice;
}

}  // namespace tessera::advise
