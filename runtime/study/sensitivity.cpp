// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "emu/base/round_up.hpp"
#include "runtime/config/moved_timing.hpp"
#include "runtime/ranks/work_queue.hpp"
#include "runtime/study/time_trace.hpp"
#include "tessera/errors.hpp"

namespace tessera::advise {
namespace {

using config::MovedTiming;
using timed_run::RunTimer;

/// Returns a timer under these constants, which needs neither draws nor paths.
RunTimer timer_of(const compare::RecordedRun& run, const TimingSpec& timing) {
    timed_run::TimedMachine machine = run.machine;
    machine.timing.expected = timing;
    RunTimer timer(run.name, machine,
                   {.draws = {.count = 0}, .detail = timed_run::Detail::Times, .cache = run.cache});
    return timer;
}

/// Returns the makespan under the stated constants, then with each constant moved. One at a time:
/// effects of constants on the path do not show their effect on the makespan. A report named
/// constants with up to 78 % of a makespan that did not change when they moved.
std::vector<Millicycles> makespans(const compare::RecordedRun& run,
                                   const std::vector<MovedTiming>& moved, ranks::RankLink* link) {
    std::vector<const TimingSpec*> timings{&run.machine.timing.expected};
    for (const MovedTiming& constant : moved) {
        timings.push_back(&constant.timing);
    }
    // One process times all of them with one pass over the trace. Ranks take a few at a time.
    constexpr std::size_t kSharedPiece = 4;
    const std::size_t piece = link == nullptr ? timings.size() : kSharedPiece;
    ranks::WorkQueue queue(link, div_up(timings.size(), piece));
    while (const auto taken = queue.take()) {
        std::vector<RunTimer> timers;
        for (std::size_t i = *taken * piece; i < std::min((*taken + 1) * piece, timings.size());
             ++i) {
            timers.push_back(timer_of(run, *timings[i]));
        }
        std::string times;
        for (const report::TimingReport& report : timed_run::time_trace(run, timers)) {
            times += fmt::format("{}\n", report.makespan.expected);
        }
        queue.give(*taken, std::move(times));
    }
    std::vector<Millicycles> makespans;
    for (const auto& times : queue.finish()) {
        std::istringstream lines(times.value_or(""));
        for (Millicycles time = 0; lines >> time;) {
            makespans.push_back(time);
        }
    }
    ensure(makespans.size() == timings.size(), "{} of {} constants have a time", makespans.size(),
           timings.size());
    return makespans;
}

}  // namespace

double largest_of(const ConstantEffect& effect) noexcept {
    return std::max(std::abs(effect.at_low), std::abs(effect.at_high));
}

std::span<const ConstantEffect> largest_effects(std::span<const ConstantEffect> effects) noexcept {
    constexpr std::size_t kMost = 10;
    constexpr double kLeast = 5e-5;  // smaller effects are shown as 0.00 %
    const auto small = std::ranges::find_if(
        effects, [](const ConstantEffect& effect) { return largest_of(effect) < kLeast; });
    const auto count = static_cast<std::size_t>(small - effects.begin());
    return effects.first(std::min(kMost, count));
}

std::vector<ConstantEffect> sensitivity(const compare::RecordedRun& run, ranks::RankLink* link) {
    const auto moved = config::move_one_at_a_time(run.machine.timing);
    const std::vector<Millicycles> times = makespans(run, moved, link);
    std::vector<ConstantEffect> effects;
    for (std::size_t i = 0; i < moved.size(); ++i) {
        // move_one_at_a_time() returns both ends of a constant one after the other.
        if (effects.empty() || effects.back().key != moved[i].key) {
            effects.push_back({.key = moved[i].key});
        }
        const double change =
            times[0] == 0 ? 0
                          : static_cast<double>(times[i + 1]) / static_cast<double>(times[0]) - 1;
        ConstantEffect& effect = effects.back();
        // "Low" is the end that should make runs short. It may make this run longer, so signs are
        // kept.
        const bool is_low = moved[i].end == config::RangeEnd::Short;
        (is_low ? effect.at_low : effect.at_high) = change;
        (is_low ? effect.low_value : effect.high_value) = moved[i].value;
    }
    std::ranges::stable_sort(effects, std::ranges::greater{}, largest_of);
    return effects;
}

std::uint64_t cost_of_sensitivity(const compare::RecordedRun& run) {
    return compare::events_of(run.trace) *
           (config::move_one_at_a_time(run.machine.timing).size() + 1);
}

}  // namespace tessera::advise
