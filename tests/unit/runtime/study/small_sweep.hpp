// SPDX-License-Identifier: Apache-2.0
// A hand-made sweep result: two cases, two K blocks, one failed point.
#pragma once

#include "runtime/study/sweep_result.hpp"
#include "tests/unit/runtime/study/figures.hpp"

namespace tessera::sweep::test {

/// Returns a run of one step at 1 GHz, so millicycles are picoseconds. Half of the time precedes
/// the step.
inline compare::RunFigures run_of(Millicycles low, Millicycles expected, Millicycles high) {
    using compare::test::step_of;
    return compare::test::run_of("s", {step_of("prepare", expected, expected, expected),
                                       step_of("gate", low, expected, high)});
}

/// Tokens 64: K block 4 takes 2 us, 1 certainly more with 3 us; 1024 is impossible. Tokens 32: K
/// block 1 takes 1 us, 4 takes 1.5 us, but not with low constants.
inline SweepResult small_sweep() {
    SweepResult result{.name = "small",
                       .question = "Which K block is <best>?",
                       .rank_by = "gate",
                       .has_values = false,
                       .cases = {"tokens 64", "tokens 32"},
                       .keys = {"params.tokens", "set.moe_bmm.k_block"},
                       .num_case_keys = 1,
                       .labels = {"tokens", "k_block"},
                       .points = {},
                       .num_recordings = 5};
    const auto add = [&](const char* tokens, const char* k_block, std::size_t case_index,
                         std::optional<compare::RunFigures> figures) {
        result.points.push_back({.values = {tokens, k_block},
                                 .case_index = case_index,
                                 .recorded_by = result.points.size(),
                                 .figures = std::move(figures)});
    };
    add("64", "1", 0, run_of(2'500'000, 3'000'000, 4'000'000));
    add("64", "4", 0, run_of(1'500'000, 2'000'000, 3'500'000));
    add("64", "1024", 0, std::nullopt);
    result.points.back().failure = "CBs take more than L1, \"all\" of it";
    add("32", "1", 1, run_of(900'000, 1'000'000, 1'200'000));
    add("32", "4", 1, run_of(800'000, 1'500'000, 1'900'000));
    return result;
}

}  // namespace tessera::sweep::test
