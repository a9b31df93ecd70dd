// SPDX-License-Identifier: Apache-2.0
// Hand-made timed runs.
#pragma once

#include <string>
#include <vector>

#include "runtime/study/run_figures.hpp"

namespace tessera::compare::test {

/// A step whose path consists of one activity, and whose constants were drawn three times.
inline StepFigures step_of(const std::string& name, Millicycles low, Millicycles expected,
                           Millicycles high) {
    return {.name = name,
            .time = {low, expected, high},
            .ensemble = {.draws = {low, expected, high}},
            .path = {.activities = {{"matmul", expected}},
                     .lines = {{"compute.cpp:7 (math)", expected}},
                     .resources = {{"none", expected}},
                     .bounds = {{"matmul", expected}}}};
}

/// A run at 1 GHz (1000 millicycles are one nanosecond) with 10 cycles between its steps.
inline RunFigures run_of(const std::string& name, std::vector<StepFigures> steps) {
    RunFigures run{.name = name, .arch = "n150", .clock = Hertz{1e9}};
    constexpr Millicycles kGap = 10'000;
    for (const StepFigures& step : steps) {
        const Millicycles gap = run.time.expected == 0 ? 0 : kGap;
        run.time.low += step.time.low + gap;
        run.time.expected += step.time.expected + gap;
        run.time.high += step.time.high + gap;
    }
    run.ensemble.draws = {run.time.low, run.time.expected, run.time.high};
    for (const StepFigures& step : steps) {
        run.path.activities["matmul"] += step.time.expected;
        run.path.lines[step.name + ": compute.cpp:7 (math)"] += step.time.expected;
        run.path.resources["none"] += step.time.expected;
        run.path.bounds["matmul"] += step.time.expected;
    }
    run.steps = std::move(steps);
    add_gaps(run);
    return run;
}

}  // namespace tessera::compare::test
