// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/study/time_trace.hpp"
#include "tessera/errors.hpp"

namespace tessera::advise {
namespace {

using compare::RecordedRun;
using report::TimingReport;
using timed_run::Detail;
using timed_run::RunTimer;
using timed_run::TimedMachine;

RunTimer timer_of(const RecordedRun& run, const TimedMachine& machine, Detail detail) {
    return {run.name,
            machine,
            {.num_draws = 0, .detail = detail, .budget = {.points = 0, .cb_points = 0}}};
}

double gain_of(Millicycles before, Millicycles after) {
    return before == 0 ? 0 : 1 - static_cast<double>(after) / static_cast<double>(before);
}

void note_gains(const TimingReport& before, const TimingReport& after, Finding& finding) {
    finding.makespan = after.makespan.expected;
    finding.gain = gain_of(before.makespan.expected, after.makespan.expected);
    for (std::size_t i = 0; i < before.launches.size(); ++i) {
        const double gain = gain_of(before.launches[i].device_time.expected,
                                    after.launches.at(i).device_time.expected);
        if (std::abs(gain) >= kLeastGain) {
            const report::LaunchReport& launch = before.launches[i];
            const bool has_place = gain > 0 && finding.rule.place != nullptr;
            finding.steps.push_back(
                {.name = launch.name,
                 .gain = gain,
                 .saved = launch.device_time.expected - after.launches[i].device_time.expected,
                 .place = has_place ? finding.rule.place(launch) : ""});
        }
    }
    std::ranges::stable_sort(finding.steps, std::ranges::greater{},
                             [](const StepGain& step) { return std::abs(step.gain); });
}

/// All rules that change constants, over one reading of the trace.
void replay_timing_rules(const RecordedRun& run, const TimingReport& before,
                         std::vector<Finding>& findings) {
    std::vector<RunTimer> timers;
    std::vector<Finding*> rows;
    for (Finding& finding : findings) {
        if (finding.rule.change_timing != nullptr) {
            TimedMachine machine = run.machine;
            finding.rule.change_timing(machine.timing.expected);
            timers.push_back(timer_of(run, machine, Detail::Times));
            rows.push_back(&finding);
        }
    }
    const auto reports = timed_run::time_trace(run, timers);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        note_gains(before, reports[i], *rows[i]);
    }
}

/// The report of the run whose launches the rule changes, one at a time; none if it changes none.
std::optional<TimingReport> replay_changed(const RecordedRun& run, const TimingReport& before,
                                           ChangeLaunch change) {
    RunTimer timer = timer_of(run, run.machine, Detail::Times);
    bool has_changed = false;
    for (std::size_t i = 0; i < run.trace.launches.size(); ++i) {
        LaunchTrace launch = run.trace.launches[i];
        has_changed = change(launch, before.launches.at(i), run.machine) || has_changed;
        timer.add(run.trace, launch);
    }
    return has_changed ? std::optional(timer.finish()) : std::nullopt;
}

void replay_launch_rule(const RecordedRun& run, const TimingReport& before, Finding& finding) {
    try {
        const auto after = replay_changed(run, before, finding.rule.change_launch);
        if (after) {
            note_gains(before, *after, finding);
        } else {
            finding.refusal = "nothing of the run is of that kind";
        }
    } catch (const InternalError&) {
        // Work moved to another core leaves waits that nothing ends.
        finding.refusal = "cores wait for one another: their work cannot be moved";
    }
}

std::vector<BankCamping> banks_of(const RecordedRun& run) {
    std::vector<BankCamping> banks;
    for (const LaunchTrace& launch : run.trace.launches) {
        if (auto camping = bank_camping(launch, run.machine.arch.dram.num_banks, run.trace.names)) {
            banks.push_back(std::move(*camping));
        }
    }
    return banks;
}

std::vector<LinkLoad> links_of(const TimingReport& before) {
    std::vector<LinkLoad> loads;
    for (const report::LaunchReport& launch : before.launches) {
        LinkLoad load{.step = launch.name};
        double sum = 0;
        double links = 0;
        const auto makespan = static_cast<double>(launch.makespan.expected);
        for (const ResourceUse& use : launch.resources) {
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
        if (links > 0) {
            load.mean = sum / links;
            loads.push_back(load);
        }
    }
    return loads;
}

}  // namespace

Advice advise(const RecordedRun& run) {
    std::vector<RunTimer> timers;
    timers.push_back(timer_of(run, run.machine, Detail::Full));
    const TimingReport before = timed_run::time_trace(run, timers).front();
    Advice advice{.run = fmt::format("{} on {}", run.name, run.machine.arch.name),
                  .clock = before.clock,
                  .makespan = before.makespan.expected,
                  .findings = {},
                  .banks = banks_of(run),
                  .links = links_of(before)};
    for (const Rule& rule : all_rules()) {
        advice.findings.push_back({.rule = rule, .makespan = advice.makespan});
    }
    replay_timing_rules(run, before, advice.findings);
    for (Finding& finding : advice.findings) {
        if (finding.rule.change_launch != nullptr) {
            replay_launch_rule(run, before, finding);
        }
    }
    std::ranges::stable_sort(advice.findings, {}, [](const Finding& finding) {
        return std::pair(finding.rule.kind, -finding.gain);
    });
    return advice;
}

}  // namespace tessera::advise
