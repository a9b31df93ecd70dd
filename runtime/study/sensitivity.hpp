// SPDX-License-Identifier: Apache-2.0
// How much a run's time depends on each timing constant.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/report/timing/timing_report.hpp"
#include "runtime/study/recorded_run.hpp"

namespace tessera::advise {

using report::ConstantEffect;

/// The larger of its two changes, whatever its sign.
[[nodiscard]] double largest_of(const ConstantEffect& effect) noexcept;

/// Every constant that has a range, by the larger of its two effects, largest first.
[[nodiscard]] std::vector<ConstantEffect> sensitivity(const compare::RecordedRun& run);

/// Of effects by size, those worth a line: at most ten, none that would be shown as 0.00 %.
[[nodiscard]] std::span<const ConstantEffect> largest_effects(
    std::span<const ConstantEffect> effects) noexcept;

/// These as horizontal bars on one scale, an SVG: to the left what makes the run shorter, to the
/// right what makes it longer, with the constant's value there.
[[nodiscard]] std::string effects_svg(std::span<const ConstantEffect> effects,
                                      const std::string& run);

/// Trace events that sensitivity() replays.
[[nodiscard]] std::uint64_t cost_of_sensitivity(const compare::RecordedRun& run);

}  // namespace tessera::advise
