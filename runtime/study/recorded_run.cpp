// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/recorded_run.hpp"

#include <algorithm>

#include "runtime/config/moved_timing.hpp"
#include "runtime/study/run_timer.hpp"
#include "runtime/study/time_trace.hpp"

namespace tessera::compare {
namespace {

using config::MovedTiming;
using timed_run::Detail;
using timed_run::RunTimer;

bool is_same_end(const MovedTiming& a, const MovedTiming& b) {
    return a.key == b.key && a.end == b.end;
}

/// Constant at an end of its range, in both runs.
struct MovedPair {
    const MovedTiming* a = nullptr;  ///< null: the run has no range for it
    const MovedTiming* b = nullptr;
};

/// Returns the constants to move: those of A, then those that only B has a range for. Two device
/// models may have different ranges.
std::vector<MovedPair> pairs_of(const std::vector<MovedTiming>& a,
                                const std::vector<MovedTiming>& b) {
    std::vector<MovedPair> pairs;
    for (const MovedTiming& moved : a) {
        const auto same = std::ranges::find_if(
            b, [&](const MovedTiming& other) { return is_same_end(moved, other); });
        pairs.push_back({&moved, same == b.end() ? nullptr : &*same});
    }
    for (const MovedTiming& moved : b) {
        if (std::ranges::none_of(
                a, [&](const MovedTiming& other) { return is_same_end(moved, other); })) {
            pairs.push_back({nullptr, &moved});
        }
    }
    return pairs;
}

/// Returns a timer that computes the expected time only: a moved constant has no draws.
RunTimer timer_of(const RecordedRun& run, const MovedTiming* moved) {
    timed_run::TimedMachine machine = run.machine;
    if (moved != nullptr) {
        machine.timing.expected = moved->timing;
    }
    RunTimer timer(run.name, machine,
                   {.draws = {.count = 0}, .detail = Detail::Times, .cache = run.cache});
    return timer;
}

}  // namespace

std::uint64_t events_of(const Trace& trace) {
    std::uint64_t events = 0;
    for (const LaunchTrace& launch : trace.launches) {
        events += num_events(launch);
    }
    return events;
}

RunFigures figures_of(const RecordedRun& run, const timed_run::Draws& draws) {
    std::vector<RunTimer> timers;
    timers.emplace_back(
        run.name, run.machine,
        timed_run::TimerOptions{.draws = draws, .detail = Detail::Paths, .cache = run.cache});
    return figures_of(timed_run::time_trace(run, timers).front());
}

// A replay's time grows with its events, so that this predicts what the study takes.
std::uint64_t cost_of_moving(const RecordedRun& a, const RecordedRun& b) {
    const auto moved_a = config::move_one_at_a_time(a.machine.timing);
    const auto moved_b = config::move_one_at_a_time(b.machine.timing);
    return pairs_of(moved_a, moved_b).size() * (events_of(a.trace) + events_of(b.trace));
}

std::vector<MovedConstant> move_each_constant(const RecordedRun& a, const RecordedRun& b) {
    const auto moved_a = config::move_one_at_a_time(a.machine.timing);
    const auto moved_b = config::move_one_at_a_time(b.machine.timing);
    const std::vector<MovedPair> pairs = pairs_of(moved_a, moved_b);
    std::vector<RunTimer> timers_a;
    std::vector<RunTimer> timers_b;
    // Pairs move the same constant to the same end. A run without a range for it keeps the stated
    // value.
    for (const MovedPair& pair : pairs) {
        timers_a.push_back(timer_of(a, pair.a));
        timers_b.push_back(timer_of(b, pair.b));
    }
    const auto reports_a = timed_run::time_trace(a, timers_a);
    const auto reports_b = timed_run::time_trace(b, timers_b);
    std::vector<MovedConstant> moved;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const MovedTiming& constant = pairs[i].a == nullptr ? *pairs[i].b : *pairs[i].a;
        moved.push_back(
            {constant.key, constant.value, figures_of(reports_a[i]), figures_of(reports_b[i])});
    }
    return moved;
}

}  // namespace tessera::compare
