// SPDX-License-Identifier: Apache-2.0
// Goals as ratios within one run: what is measured and its peer take turns, so that a slow spell of
// the machine hits both.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>

namespace tessera::bench {

/// Some work and how much of it one call does, in a unit the peer shares (FLOP, bytes, elements).
struct Work {
    std::function<void()> run;
    double amount = 1.0;
};

/// What a call's duration is read from.
enum class Clock : std::uint8_t {
    Wall,
    ProcessCpu,  ///< for work of one thread, on a machine that others use as well
};

/// What a row claims of `ratio`, the rate of `ours` over that of `theirs`.
struct Claim {
    double ratio = 1.0;
    Clock clock = Clock::ProcessCpu;
};

/// Runs theirs, ours, theirs, … with one turn of each per iteration; a rate of ours is held against
/// the mean of the peer's turns before and after it. Calls are repeated until a turn takes at
/// least 0.2 ms.
///
/// Counters  `ratio`: the median over iterations; `goal`: what it is to reach; `rate`: the median
///           rate of ours in units of `amount` per second.
void compare(benchmark::State& state, const Work& ours, const Work& theirs, Claim claim);

/// Registers a row named `name` that compares; work is made when the row runs.
void add_goal(const std::string& name, std::function<Work()> ours, std::function<Work()> theirs,
              Claim claim);

}  // namespace tessera::bench
