// SPDX-License-Identifier: Apache-2.0
#include "bench/paired.hpp"

#include <chrono>
#include <ctime>
#include <utility>
#include <vector>

#include "bench/pairs.hpp"

namespace tessera::bench {
namespace {

constexpr double kShortestTurn = 0.2e-3;
constexpr int kTurns = 41;

double now(Clock clock) {
    if (clock == Clock::Wall) {
        const auto since = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration<double>(since).count();
    }
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_of(const Work& work, int calls, Clock clock) {
    const double begin = now(clock);
    for (int i = 0; i < calls; ++i) {
        work.run();
    }
    return now(clock) - begin;
}

/// Calls for one turn; warms up on the way.
int calls_of_a_turn(const Work& work, Clock clock) {
    int calls = 1;
    while (seconds_of(work, calls, clock) < kShortestTurn) {
        calls *= 2;
    }
    return calls;
}

}  // namespace

void compare(benchmark::State& state, const Work& ours, const Work& theirs, Claim claim) {
    const int our_calls = calls_of_a_turn(ours, claim.clock);
    const int their_calls = calls_of_a_turn(theirs, claim.clock);
    const auto rate = [&](const Work& work, int calls) {
        return work.amount * calls / seconds_of(work, calls, claim.clock);
    };
    std::vector<double> ratios;
    std::vector<double> rates;
    double before = rate(theirs, their_calls);
    for (auto _ : state) {
        const double own = rate(ours, our_calls);
        const double after = rate(theirs, their_calls);
        ratios.push_back(own / ((before + after) / 2));
        rates.push_back(own);
        state.SetIterationTime(ours.amount / own);
        before = after;
    }
    set_goal_at_least(state, median_of(std::move(ratios)), claim.ratio);
    state.counters["rate"] = median_of(std::move(rates));
}

void add_goal(const std::string& name, std::function<Work()> ours, std::function<Work()> theirs,
              Claim claim) {
    const auto row = [=](benchmark::State& state) { compare(state, ours(), theirs(), claim); };
    benchmark::RegisterBenchmark(name.c_str(), row)->Iterations(kTurns)->UseManualTime();
}

}  // namespace tessera::bench
