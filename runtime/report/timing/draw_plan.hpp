// SPDX-License-Identifier: Apache-2.0
// Which threads and CBs of a launch are drawn, and how finely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/report/timing/reduce.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Points of each thread and of each CB level of a launch; 0: not drawn.
struct DrawPlan {
    std::vector<std::size_t> threads;
    std::vector<std::size_t> cbs;
    bool leaves_out = false;
};

/// Gives threads on the critical path several times as many points as others, and draws whole
/// cores. Where the budget is too small for all, the cores that have most of the path, and of equal
/// ones those that finish last, are drawn.
/// Preconditions  `threads` have their `on_path` and `finish`.
[[nodiscard]] DrawPlan plan_drawing(const std::vector<ThreadReport>& threads,
                                    const LaunchTrace& trace, const LaunchTimeline& timeline,
                                    const DrawBudget& budget);

}  // namespace tessera::report
