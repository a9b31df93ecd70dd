// SPDX-License-Identifier: Apache-2.0
// How much a run's time depends on each timing constant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/study/recorded_run.hpp"

namespace tessera::advise {

/// The change of the makespan with one constant at an end of its range, all others as stated, over
/// the makespan: 0.02 is 2 % longer. 0 at an end that is the stated value.
struct ConstantEffect {
    std::string key;  ///< "timing.dram.read_latency"
    std::string low_value;
    std::string high_value;
    double at_low = 0;   ///< the end that is meant to make runs short
    double at_high = 0;  ///< the end that is meant to make them long
};

/// The larger of its two changes, whatever its sign.
[[nodiscard]] double largest_of(const ConstantEffect& effect) noexcept;

/// Every constant that has a range, by the larger of its two effects, largest first.
[[nodiscard]] std::vector<ConstantEffect> sensitivity(const compare::RecordedRun& run);

/// Trace events that sensitivity() replays.
[[nodiscard]] std::uint64_t cost_of_sensitivity(const compare::RecordedRun& run);

}  // namespace tessera::advise
