// SPDX-License-Identifier: Apache-2.0
// Which step of one run stands beside which of another.
#pragma once

#include <vector>

#include "runtime/study/run_figures.hpp"

namespace tessera::compare {

/// The same step in two runs; null where one has none.
struct StepPair {
    const StepFigures* a = nullptr;
    const StepFigures* b = nullptr;
};

/// Steps of `a` in order, each with the step of the same name in `b` (the first of a name with the
/// first, the second with the second); steps of `b` only stand before the next one that both have.
[[nodiscard]] std::vector<StepPair> match_steps(const std::vector<StepFigures>& a,
                                                const std::vector<StepFigures>& b);

}  // namespace tessera::compare
