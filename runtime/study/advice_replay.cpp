// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/advice_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/config/drawn_timing.hpp"
#include "runtime/config/field_table.hpp"
#include "runtime/config/moved_timing.hpp"
#include "runtime/report/timing/run_path.hpp"

namespace tessera::advise {
namespace {

using config::Bound;

/// A bound whose constants price less than this part of a launch's critical path is not replayed
/// there. At 0.005 the bound of the engines on moe_v2 loses a third of its gain, since work off the
/// path delays packets on it.
constexpr double kLeastOfPath = 0.001;

/// Returns the time of the launch's critical path by the bounds of the constants that price it. One
/// part may count for several bounds: DRAM and NoC rates together bound the port of a bank.
std::vector<Millicycles> time_by_bound(const report::LaunchReport& launch) {
    std::vector<Millicycles> times(config::kNumBounds);
    for (const report::PathPart& part : launch.path) {
        std::vector<bool> is_in(config::kNumBounds);
        for (const auto& constant : config::constants_of(part.activity, part.resource)) {
            is_in[static_cast<std::size_t>(constant.bound)] = true;
        }
        for (std::size_t bound = 0; bound < times.size(); ++bound) {
            times[bound] += is_in[bound] ? part.time : 0;
        }
    }
    return times;
}

std::vector<Millicycles> device_times_of(const report::LaunchReport& launch) {
    // Devices of a launch start at different times, so that an end alone is not a length.
    std::vector<Millicycles> times = launch.device_end;
    for (std::size_t device = 0; device < times.size(); ++device) {
        const bool has_start = device < launch.device_start.size();
        times[device] -= has_start ? launch.device_start[device] : 0;
    }
    return times;
}

/// Returns, by draw, the launch's time divided by its time under the stated constants.
std::vector<double> factors_of(const report::LaunchReport& launch) {
    std::vector<double> factors;
    const auto stated = static_cast<double>(launch.device_time.expected);
    for (const Millicycles draw : launch.ensemble.draws) {
        factors.push_back(stated > 0 ? static_cast<double>(draw) / stated : 1);
    }
    return factors;
}

/// Returns the times of a launch only: rules need no lines, stalls and points.
report::LaunchReport report_of(const LaunchTimeline& timeline) {
    const Millicycles longest = device_time(timeline);
    report::LaunchReport launch;
    launch.name = timeline.name;
    launch.start = timeline.start;
    launch.makespan = {timeline.makespan, timeline.makespan, timeline.makespan};
    launch.device_time = {longest, longest, longest};
    launch.device_start = timeline.device_start;
    launch.device_end = timeline.device_end;
    return launch;
}

}  // namespace

RuleReplays::RuleReplays(const compare::RecordedRun& run, const report::TimingReport& before,
                         RuleDevices devices)
    : run_(run),
      before_(before),
      drawn_(before),
      draws_(config::draw_timing(run.machine.timing, kDraws.count)),
      estimate_(run.machine.arch, run.machine.timing.expected, draws_),
      cache_(run.cache != nullptr ? *run.cache : own_cache_) {
    estimate_.price(run.trace);
    for (std::size_t i = 0; i < run.trace.launches.size(); ++i) {
        const report::LaunchReport& launch = before_.launches.at(i);
        unedited_.device_times.push_back(device_times_of(launch));
        unedited_.factors.push_back(factors_of(launch));
        // Once for all rules: the partition depends on the trace, not on constants.
        partitions_.push_back(
            timing::partition(run.trace.launches[i], run.machine.mesh.shape.num_devices()));
        time_by_bound_.push_back(time_by_bound(launch));
    }
    replayed_ = parts_to_replay(partitions_, before_, unedited_.device_times, devices);
    // Bounds are compared under the stated constants: no schedule reaches a bound, so its certainty
    // under draws is of no use.
    before_.ensemble.draws = {before_.makespan.expected};
    for (report::LaunchReport& launch : before_.launches) {
        launch.ensemble.draws = {launch.device_time.expected};
    }
}

bool RuleReplays::is_touched(const Rule& rule, std::size_t launch) const {
    // A part that counts for two bounds of the rule is added twice. The sum only decides whether to
    // replay.
    Millicycles time = 0;
    for (const Bound bound : rule.bounds) {
        time += time_by_bound_[launch][static_cast<std::size_t>(bound)];
    }
    const auto makespan = static_cast<double>(before_.launches[launch].makespan.expected);
    return static_cast<double>(time) > kLeastOfPath * makespan;
}

RuleReplays::LaunchTimes RuleReplays::unedited(std::size_t launch) const {
    return {.by_device = unedited_.device_times[launch],
            .factors = unedited_.factors[launch],
            .regimes = before_.launches[launch].regimes};
}

RuleReplays::EditedLaunch RuleReplays::edit(const Rule& rule, std::size_t launch,
                                            const timing::LaunchPart& part) const {
    if (!rule.edit) {
        return {is_touched(rule, launch), std::nullopt};
    }
    // Rules share the trace on several threads, so that an edit needs a copy.
    const LaunchTrace& recorded = run_.trace.launches[launch];
    EditedLaunch edited{false, launch_of(recorded, part)};
    edited.is_touched = rule.edit(
        *edited.copy,
        {.expected = before_.launches[launch],
         .machine = run_.machine,
         .names = run_.trace.names,
         .first_core = static_cast<std::size_t>(part.cores.data() - recorded.cores.data())});
    return edited;
}

RuleReplays::LaunchTimes RuleReplays::replay_part(const RuleMachine& on, std::size_t launch,
                                                  const timing::LaunchPart& part,
                                                  std::span<const Millicycles> starts) const {
    const EditedLaunch edited = edit(on.rule, launch, part);
    // Devices that wait for each other start at times that depend on the previous launch. So their
    // launch must be replayed even if the rule does not touch it.
    if (!edited.is_touched && part.devices.count == 1) {
        return unedited(launch);
    }
    const LaunchTrace& replayed = edited.copy ? *edited.copy : run_.trace.launches[launch];
    const timing::LaunchPartition own{
        .num_devices = run_.machine.mesh.shape.num_devices(),
        .parts = {{part.devices, edited.copy ? replayed.cores : part.cores}},
        .keys = {timing::PartKey{}},
        .representatives = {0}};
    const timing::PartKey key = on.keys.key_of(run_.trace, replayed, own.parts.front());
    auto kept = cache_.find(key);
    if (!kept || !std::ranges::equal(kept->report.device_start, starts)) {
        // Regimes and estimates need the path.
        const LaunchTimeline timeline = timing::replay(run_.trace, replayed, on.machine,
                                                       {.device_start = starts, .partition = &own});
        timed_run::TimedLaunch timed{report_of(timeline), {}};
        timed.report.regimes = timing::regime_times(timeline);
        timed.factors = edited.copy ? estimate_.factors(replayed, timeline) : std::vector<double>();
        kept = cache_.keep(key, std::move(timed));
    }
    LaunchTimes times = unedited(launch);
    times.is_touched = edited.is_touched;
    times.by_device = device_times_of(kept->report);
    if (edited.is_touched) {
        times.regimes = kept->report.regimes;
        times.factors = edited.copy ? kept->factors : times.factors;
    }
    return times;
}

RuleReplays::LaunchTimes RuleReplays::replay_parts(const RuleMachine& on, std::size_t launch,
                                                   std::span<const Millicycles> starts) const {
    LaunchTimes last = unedited(launch);
    if (!on.rule.edit && !is_touched(on.rule, launch)) {
        return last;
    }
    // Parts that begin at 0 have one key, however late their device may begin.
    const std::vector<Millicycles> at_zero(starts.size());
    std::vector<Millicycles> by_device(starts.size(), -1);
    bool touched = false;
    Millicycles last_end = -1;
    for (const std::size_t number : replayed_[launch]) {
        const timing::LaunchPart& part = partitions_[launch].parts[number];
        const std::size_t device = part.devices.first;
        LaunchTimes times = replay_part(on, launch, part, at_zero);
        by_device[device] = times.by_device[device];
        touched = touched || times.is_touched;
        if (starts[device] + by_device[device] > last_end) {
            last_end = starts[device] + by_device[device];
            last = std::move(times);
            // The launch's path begins with the wait for that device's start.
            last.regimes[static_cast<std::size_t>(timing::Regime::Launch)] +=
                last.is_touched ? starts[device] : 0;
        }
    }
    last.is_touched = touched;
    last.by_device = times_after(unedited_.device_times[launch], by_device);
    return last;
}

std::optional<RuleTimes> RuleReplays::replay(const Rule& rule) const {
    const TimingSpec timing = config::without_bounds(run_.machine.timing.expected, rule.bounds);
    timed_run::TimedMachine keyed = run_.machine;
    keyed.timing.expected = timing;
    const RuleMachine on{rule,
                         {run_.machine.arch, timing, run_.machine.mesh},
                         {keyed, fmt::format("{} {}", timed_run::LaunchCache::made_by(),
                                             rule.edit ? "edit" : "bound")}};
    timing::RunReplay replay(on.machine, {.keeps_intervals = false});
    RuleTimes times;
    // Gaps between launches belong to no launch, so the bound Launch always changes the run.
    bool has_touched = std::ranges::find(rule.bounds, Bound::Launch) != rule.bounds.end();
    for (std::size_t i = 0; i < run_.trace.launches.size(); ++i) {
        const LaunchTrace& recorded = run_.trace.launches[i];
        const std::vector<Millicycles> starts = replay.starts_of_next(recorded);
        LaunchTimes launch = is_joint(partitions_[i])
                                 ? replay_part(on, i, partitions_[i].parts.front(), starts)
                                 : replay_parts(on, i, starts);
        has_touched = has_touched || launch.is_touched;
        times.report.launches.push_back(report_of(replay.add_known(recorded, launch.by_device)));
        times.report.launches.back().regimes = launch.regimes;
        times.factors.push_back(std::move(launch.factors));
        times.device_times.push_back(std::move(launch.by_device));
    }
    times.report.makespan.expected = replay.makespan();
    // A rule that touches no launch would give the times of the unedited run.
    return has_touched ? std::optional(std::move(times)) : std::nullopt;
}

void RuleReplays::add_draws(const RuleTimes& times, report::TimingReport& report) const {
    for (std::size_t draw = 0; draw < draws_.size(); ++draw) {
        // Gaps between launches have the draw's own constants.
        timing::RunReplay replay({run_.machine.arch, draws_[draw], run_.machine.mesh},
                                 {.keeps_intervals = false});
        for (std::size_t i = 0; i < report.launches.size(); ++i) {
            const LaunchTimeline timeline =
                replay.add_known(run_.trace.launches[i],
                                 timed_run::scaled(times.device_times[i], times.factors[i][draw]));
            report.launches[i].ensemble.draws.push_back(device_time(timeline));
        }
        report.ensemble.draws.push_back(replay.makespan());
    }
}

void RuleReplays::draw(const Rule& rule, RuleTimes& times) const {
    // Errors of the model scale samples, so that they need no replay.
    const ModelErrorSpec& error = run_.machine.timing.expected.model_error;
    report::TimingReport& report = times.report;
    report.ensemble = report::make_ensemble(report::regimes_of(report), error);
    for (report::LaunchReport& launch : report.launches) {
        launch.ensemble = report::make_ensemble(launch.regimes, error);
    }
    if (rule.kind == RuleKind::Change) {
        return add_draws(times, report);
    }
    report.ensemble.draws.push_back(report.makespan.expected);
    for (report::LaunchReport& launch : report.launches) {
        launch.ensemble.draws.push_back(launch.device_time.expected);
    }
}

}  // namespace tessera::advise
