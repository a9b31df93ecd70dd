// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/run_timer.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "emu/base/seconds_since.hpp"
#include "runtime/config/drawn_timing.hpp"
#include "runtime/log/log.hpp"
#include "runtime/report/timing/run_path.hpp"

namespace tessera::timed_run {
namespace {

constexpr std::size_t kExpected = 0;

/// Returns the times of the draws, which follow the expected one.
std::vector<Millicycles> draws_in(const std::vector<Millicycles>& times) {
    return {times.begin() + 1, times.end()};
}

/// Returns the number of devices whose timeline is that of another device, shifted in time.
std::size_t num_reused(const timing::LaunchPartition& partition) {
    std::size_t reused = 0;
    for (std::size_t i = 0; i < partition.representatives.size(); ++i) {
        reused += partition.representatives[i] == i ? 0 : 1;
    }
    return reused;
}

/// Returns the key of a launch whose devices may begin at `starts`.
timing::PartKey from_starts(const timing::PartKey& key, std::span<const Millicycles> starts) {
    timing::KeyHash hash;
    hash.add_pair(key.halves[0], key.halves[1]);
    for (const Millicycles start : starts) {
        hash.add(static_cast<std::uint64_t>(start));
    }
    return hash.key();
}

/// Returns the number of replays that a launch took, in words.
std::string words_of_replays(std::uint32_t count) {
    if (count == 0) {
        return "times from the cache";
    }
    return fmt::format("{} replay{}", count, count == 1 ? "" : "s");
}

/// Drops all that only drawings need; sweeps hold the reports of many points.
report::LaunchReport path_only(report::LaunchReport launch) {
    launch.threads.clear();
    launch.cores.clear();
    launch.causes.clear();
    launch.stalls.clear();
    launch.cbs.clear();
    launch.resources.clear();
    return launch;
}

}  // namespace

std::vector<std::size_t> ClaimedParts::claim(const timing::LaunchPartition& partition) {
    std::vector<std::size_t> parts;
    const std::scoped_lock lock(mutex_);
    for (std::size_t part = 0; part < partition.parts.size(); ++part) {
        if (partition.parts[part].devices.count == 1 && partition.representatives[part] == part &&
            claimed_.insert(partition.keys[part].halves).second) {
            parts.push_back(part);
        }
    }
    return parts;
}

void ClaimedParts::note_added(const timing::LaunchPartition& partition) {
    std::set<Key> of_this;
    const std::scoped_lock lock(mutex_);
    for (const timing::PartKey& key : partition.keys) {
        if (claimed_.contains(key.halves)) {
            of_this.insert(key.halves);
        }
    }
    for (const Key& key : of_last_) {
        if (!of_this.contains(key)) {
            claimed_.erase(key);
        }
    }
    of_last_ = std::move(of_this);
}

RunTimer::RunTimer(std::string name, const TimedMachine& machine, const TimerOptions& options)
    : machine_(std::make_unique<const TimedMachine>(machine)),
      draws_(config::draw_timing(machine.timing, options.draws.count)),
      options_(options),
      report_(report::make_report(std::move(name), machine.arch, machine.timing.expected,
                                  machine.mesh)) {
    // Each draw has a state of its own, so that all of them run side by side.
    const auto add_replay = [&](const TimingSpec& timing, const timing::RunReplayOptions& keeps) {
        replays_.emplace_back(timing::Machine{machine_->arch, timing, machine_->mesh}, keeps);
    };
    // Reports say what they draw.
    report_.focus = options.budget.focus;
    const bool needs_path = options.draws.count > 0 && options.draws.times == DrawTimes::Estimated;
    if (needs_path) {
        estimate_.emplace(machine_->arch, machine_->timing.expected, draws_);
    }
    // A cache has no drawings: they are large, and each report draws another part.
    if (options.cache != nullptr && options.draws.times == DrawTimes::Estimated && !is_drawn()) {
        keys_.emplace(*machine_,
                      fmt::format("{} {} {} {}", LaunchCache::made_by(), options.draws.count,
                                  static_cast<int>(options.detail), options.budget.stalls));
    }
    add_replay(machine_->timing.expected,
               {.keeps_intervals = options.detail != Detail::Times || needs_path,
                .keeps_cb_levels = is_drawn()});
    // Three replays, with all constants stated or at one end, were tried first. They gave no
    // bounds, since a cheaper constant can make a run slower.
    for (std::size_t i = 0; i < draws_.size(); ++i) {
        add_replay(draws_[i],
                   // Cores of a draw start apart at random, since their starts are not known to the
                   // cycle.
                   {.keeps_intervals = false, .keeps_cb_levels = false, .start_seed = i + 1});
    }
}

bool RunTimer::is_drawn() const noexcept {
    return options_.detail == Detail::Full &&
           (options_.budget.points > 0 || options_.budget.cb_points > 0);
}

report::Stalls RunTimer::stalls() const noexcept {
    const bool has_stalls = options_.detail == Detail::Full && options_.budget.stalls > 0;
    return has_stalls ? report::Stalls::Summed : report::Stalls::Ignored;
}

RunTimer::ExpectedLaunch RunTimer::replay_expected(const Trace& trace, const LaunchTrace& launch,
                                                   const timing::LaunchPartition& partition) {
    const timing::Machine machine{machine_->arch, machine_->timing.expected, machine_->mesh};
    ExpectedLaunch expected;
    if (is_drawn()) {
        expected.timeline = replay(kExpected, trace, launch, partition);
        expected.reduced =
            report::reduce(trace.names, launch, expected.timeline, machine, options_.budget);
        return expected;
    }
    // Only drawings need intervals: all else is summed when a part has been replayed.
    report::DrawBudget budget = options_.budget;
    budget.stalls = stalls() == report::Stalls::Summed ? budget.stalls : 0;
    budget.points = 0;
    budget.cb_points = 0;
    sums_.begin(partition);
    expected.timeline =
        replay(kExpected, trace, launch, partition, {},
               [&](std::size_t part, const LaunchTimeline& timeline) {
                   sums_.note(part, report::sum_intervals(trace.names, timeline, stalls()));
               });
    expected.reduced = report::reduce(trace.names, launch, expected.timeline, machine, budget,
                                      sums_.all(partition));
    if (options_.detail != Detail::Full) {
        expected.reduced = path_only(std::move(expected.reduced));
    }
    return expected;
}

void RunTimer::add(const Trace& trace, const LaunchTrace& launch) {
    add(trace, launch, timing::partition(launch, machine_->mesh.shape.num_devices()));
}

LaunchTimeline RunTimer::replay(std::size_t number, const Trace& trace, const LaunchTrace& launch,
                                const timing::LaunchPartition& partition,
                                std::span<const Millicycles> known_times,
                                const timing::OnPart& on_part) {
    LaunchTimeline timeline = replays_[number].add(trace, launch, &partition, known_times, on_part);
    if (on_replayed_) {
        on_replayed_(num_events(launch));
    }
    return timeline;
}

void RunTimer::replay_draws(const Trace& trace, const LaunchTrace& launch,
                            const timing::LaunchPartition& partition, LaunchTimes& times) {
    std::vector<Millicycles> known_times;
    times.num_replays = options_.draws.num_replays();
    const auto time_expected = [&] {
        ExpectedLaunch expected = replay_expected(trace, launch, partition);
        times.note(kExpected, expected.timeline);
        times.reduced = std::move(expected.reduced);
        return device_times(expected.timeline);
    };
    // Draws skip devices that the expected replay shows to end early, so it runs first. If devices
    // depend on each other, none can be skipped, and the expected replay runs beside the draws. On
    // 32 devices this took fp8_deepseek_v3 from 177 to 120 s of processor time.
    std::size_t first = kExpected;
    if (partition.parts.size() > 1) {
        known_times = time_expected();
        ++first;
    }
    tbb::parallel_for(first, replays_.size(), [&](std::size_t number) {
        if (number == kExpected) {
            (void)time_expected();
        } else {
            times.note(number, replay(number, trace, launch, partition, known_times));
        }
    });
}

void RunTimer::add_estimates(const LaunchTrace& launch, std::span<const Millicycles> stated,
                             std::span<const double> factors, LaunchTimes& times) {
    for (std::size_t number = kExpected + 1; number < replays_.size(); ++number) {
        times.note(number, replays_[number].add_known(launch, scaled(stated, factors[number - 1])));
    }
}

void RunTimer::estimate_draws(const Trace& trace, const LaunchTrace& launch,
                              const timing::LaunchPartition& partition, LaunchTimes& times) {
    ExpectedLaunch expected = replay_expected(trace, launch, partition);
    times.num_replays = 1;
    times.note(kExpected, expected.timeline);
    times.reduced = std::move(expected.reduced);
    if (estimate_) {
        estimate_->price(trace);
        times.factors = estimate_->factors(launch, expected.timeline);
        add_estimates(launch, device_times(expected.timeline), times.factors, times);
    }
}

std::optional<report::LaunchReport> RunTimer::restarted(
    const TimedLaunch& kept, const LaunchTrace& launch,
    const timing::LaunchPartition& partition) const {
    const std::vector<Millicycles> starts = replays_[kExpected].starts_of_next(launch);
    report::LaunchReport report = kept.report;
    if (starts == report.device_start) {
        return report;
    }
    const bool are_independent = std::ranges::all_of(
        partition.parts, [](const auto& part) { return part.devices.count == 1; });
    return are_independent && restart(report, starts) ? std::optional(std::move(report))
                                                      : std::nullopt;
}

void RunTimer::add_cached(const Trace& trace, const LaunchTrace& launch,
                          const timing::LaunchPartition& partition, const KnownLaunch& known,
                          LaunchTimes& times) {
    timing::PartKey key = *known.key;
    // A launch before this one may have kept its times since this one was begun.
    auto kept = known.kept ? known.kept : options_.cache->find(key);
    auto report = kept ? restarted(*kept, launch, partition) : std::nullopt;
    if (kept && !report) {
        // From these starts another device ends last. Both are kept, or gate and up of a layer
        // would replace each other in each run.
        key = from_starts(key, replays_[kExpected].starts_of_next(launch));
        kept = options_.cache->find(key);
        report = kept ? restarted(*kept, launch, partition) : std::nullopt;
    }
    if (!report) {
        estimate_draws(trace, launch, partition, times);
        options_.cache->keep(key, {times.reduced, times.factors});
        return;
    }
    times.factors = kept->factors;
    std::vector<Millicycles> stated = report->device_end;
    for (std::size_t device = 0; device < stated.size(); ++device) {
        stated[device] -= report->device_start[device];
    }
    LaunchTimeline timeline = replays_[kExpected].add_known(launch, stated);
    times.note(kExpected, timeline);
    times.reduced = std::move(*report);
    times.reduced.name = launch.name;
    times.reduced.start = timeline.start;
    if (estimate_) {
        add_estimates(launch, stated, times.factors, times);
    }
    if (on_replayed_) {
        on_replayed_(num_events(launch));
    }
}

KnownLaunch RunTimer::known_of(const Trace& trace, const LaunchTrace& launch) const {
    KnownLaunch known;
    if (keys_ || options_.detail == Detail::Full) {
        known.read.emplace(machine_->timing.expected.sfpu, trace, launch.cores);
    }
    if (keys_) {
        known.key = keys_->key_of(trace, launch, *known.read);
    }
    return known;
}

void RunTimer::replay_ahead(const Trace& trace, const LaunchTrace& launch, LaunchAhead& ahead) {
    const std::vector<std::size_t> parts = claimed_->claim(ahead.partition);
    std::mutex mutex;
    const auto note = [&](std::size_t part, const LaunchTimeline& timeline) {
        report::IntervalSums sums = report::sum_intervals(trace.names, timeline, stalls());
        const std::scoped_lock lock(mutex);
        ahead.sums.push_back({ahead.partition.keys[part], std::move(sums)});
    };
    try {
        ahead.timelines =
            replays_[kExpected].replay_ahead(trace, launch, ahead.partition, parts, note);
    } catch (const Error&) {
        ahead.sums.clear();
    }
}

LaunchAhead RunTimer::begin(const Trace& trace, const LaunchTrace& launch) {
    LaunchAhead ahead{.partition = timing::partition(launch, machine_->mesh.shape.num_devices()),
                      .contents = known_of(trace, launch),
                      .timelines = {},
                      .sums = {}};
    if (ahead.contents.key) {
        ahead.contents.kept = options_.cache->find(*ahead.contents.key);
    }
    const bool is_estimated = options_.draws.times == DrawTimes::Estimated;
    if (is_estimated && !is_drawn() && !ahead.contents.kept) {
        replay_ahead(trace, launch, ahead);
    }
    return ahead;
}

void RunTimer::add(const Trace& trace, const LaunchTrace& launch, LaunchAhead ahead) {
    replays_[kExpected].expect(std::move(ahead.timelines));
    sums_.expect(std::move(ahead.sums));
    add(trace, launch, ahead.partition, ahead.contents);
    claimed_->note_added(ahead.partition);
}

void RunTimer::add(const Trace& trace, const LaunchTrace& launch,
                   const timing::LaunchPartition& partition) {
    add(trace, launch, partition, known_of(trace, launch));
}

void RunTimer::add(const Trace& trace, const LaunchTrace& launch,
                   const timing::LaunchPartition& partition, const KnownLaunch& known) {
    const auto start = std::chrono::steady_clock::now();
    LaunchTimes times{.makespans = std::vector<Millicycles>(replays_.size()),
                      .longest_on_device = std::vector<Millicycles>(replays_.size()),
                      .reduced = {},
                      .factors = {},
                      .num_replays = 0};
    if (options_.draws.times == DrawTimes::Replayed) {
        replay_draws(trace, launch, partition, times);
    } else if (keys_) {
        add_cached(trace, launch, partition, known, times);
    } else {
        estimate_draws(trace, launch, partition, times);
    }
    // Only whole reports say which assumed constants they depend on.
    if (options_.detail == Detail::Full) {
        report_.constants_read.merge(constants_read(machine_->timing, *known.read, launch));
    }
    report::LaunchReport& reduced = times.reduced;
    const ModelErrorSpec& error = machine_->timing.expected.model_error;
    // The ensemble serves twice, with the draws of the makespan and of the longest device.
    reduced.ensemble = report::make_ensemble(reduced.regimes, error);
    reduced.ensemble.draws = draws_in(times.makespans);
    reduced.makespan = report::predicted(times.makespans[kExpected], reduced.ensemble);
    reduced.ensemble.draws = draws_in(times.longest_on_device);
    reduced.device_time = report::predicted(times.longest_on_device[kExpected], reduced.ensemble);
    report_.launches.push_back(std::move(reduced));
    if (log::is_shown(log::Area::Replay, log::Level::Info)) {
        log::info(log::Area::Replay,
                  "{}: {} events in {} parts, {} of them as an identical device; {}, {} draws, "
                  "{:.3f} s",
                  launch.name, num_events(launch), partition.parts.size(), num_reused(partition),
                  words_of_replays(times.num_replays), replays_.size() - 1, seconds_since(start));
    }
}

// The interval of the run comes from makespans of whole runs: intervals of launches do not add up.
report::TimingReport RunTimer::finish() {
    std::vector<Millicycles> makespans;
    for (const timing::RunReplay& replay : replays_) {
        makespans.push_back(replay.makespan());
    }
    // Set for regimes_of(), whose windows of launches are parts of the expected run; replaced
    // below.
    report_.makespan = {makespans[kExpected], makespans[kExpected], makespans[kExpected]};
    report_.ensemble =
        report::make_ensemble(report::regimes_of(report_), machine_->timing.expected.model_error);
    report_.ensemble.draws = draws_in(makespans);
    // The median of the draws was no better a prediction: it scored 6.8 % on Wormhole in place of
    // 5.7 (docs/history/accuracy.md).
    report_.makespan = report::predicted(makespans[kExpected], report_.ensemble);
    return std::move(report_);
}

void add_to_all(std::span<RunTimer> timers, const Trace& trace, const LaunchTrace& launch) {
    // One partition serves all timers: it depends on the trace and not on constants.
    const auto partition = timing::partition(launch, trace.mesh.shape.num_devices());
    tbb::parallel_for(std::size_t{0}, timers.size(),
                      [&](std::size_t i) { timers[i].add(trace, launch, partition); });
}

}  // namespace tessera::timed_run
