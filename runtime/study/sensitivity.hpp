// SPDX-License-Identifier: Apache-2.0
// Effects of each timing constant on a run's time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/ranks/rank_link.hpp"
#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/recorded_run.hpp"

namespace tessera::advise {

using report::ConstantEffect;

/// Returns the magnitude of the larger of a constant's two effects.
[[nodiscard]] double largest_of(const ConstantEffect& effect) noexcept;

/// Returns every constant with a range, sorted by the larger of its two effects, largest first.
/// Ranks share the replays and return the same; a null link: this process makes all of them.
[[nodiscard]] std::vector<ConstantEffect> sensitivity(const compare::RecordedRun& run,
                                                      ranks::RankLink* link = nullptr);

/// Returns the effects to show: at most ten, without those that would be shown as 0.00 %.
[[nodiscard]] std::span<const ConstantEffect> largest_effects(
    std::span<const ConstantEffect> effects) noexcept;

/// Returns an SVG of horizontal bars on one scale: shorter runs to the left, longer ones to the
/// right, with the constant's value at each bar.
[[nodiscard]] std::string effects_svg(std::span<const ConstantEffect> effects,
                                      const std::string& run);

/// Returns the number of trace events that sensitivity() replays.
[[nodiscard]] std::uint64_t cost_of_sensitivity(const compare::RecordedRun& run);

}  // namespace tessera::advise
