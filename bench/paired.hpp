// SPDX-License-Identifier: Apache-2.0
// Goals as ratios within one run: the measured work and its peer alternate, so that a slow phase of
// the machine affects both.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>

namespace tessera::bench {

/// Some work and its amount per call, in a unit that the peer shares (FLOP, bytes, elements).
struct Work {
    std::function<void()> run;
    double amount = 1.0;
};

/// Clock that measures a call.
enum class Clock : std::uint8_t {
    Wall,
    ProcessCpu,  ///< for single-threaded work, on a machine with other users
};

/// Claim of a row about `ratio`, the rate of `ours` over that of `theirs`.
struct Claim {
    double ratio = 1.0;
    Clock clock = Clock::ProcessCpu;
};

/// Runs theirs, ours, theirs, … with one turn of each per iteration. Compares the rate of ours with
/// the mean of the peer's turns before and after it. Calls are repeated until a turn takes at least
/// 0.2 ms.
///
/// Counters  `ratio`: the median over iterations; `goal`: its required value; `rate`: the median
///           rate of ours in units of `amount` per second.
void compare(benchmark::State& state, const Work& ours, const Work& theirs, Claim claim);

/// Registers a row named `name` that compares; the work is made when the row runs.
void add_goal(const std::string& name, std::function<Work()> ours, std::function<Work()> theirs,
              Claim claim);

}  // namespace tessera::bench
