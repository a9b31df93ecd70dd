// SPDX-License-Identifier: Apache-2.0
// Writes a timed run as text for people: its length, its bounds, its waits.
#pragma once

#include <string>

#include "runtime/report/text_style.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Returns "makespan 123 456 cycles (123 us at 1.00 GHz), …" and achieved against peak.
[[nodiscard]] std::string makespan_text(const TimingReport& report, const TextStyle& style);
/// Returns "2.66", or "–" without a bound.
[[nodiscard]] std::string over_bound_text(Millicycles time, const std::optional<Bound>& bound);
/// Returns one row per launch: cycles, share, time over bound, cores, utilisation, imbalance,
/// bounds.
[[nodiscard]] std::string launches_text(const TimingReport& report, const TextStyle& style);
/// Returns the bounds of the run's critical path, and the parts that depend on assumed constants.
[[nodiscard]] std::string bound_text(const TimingReport& report, const TextStyle& style);
/// Returns the busy share of the math threads in the shape of the grid.
[[nodiscard]] std::string utilisation_text(const TimingReport& report, const TextStyle& style);
/// Returns the five worst stalls with their lines.
[[nodiscard]] std::string stalls_text(const TimingReport& report, const TextStyle& style);

/// Returns the worst stalls, at most `limit`, a line for each.
[[nodiscard]] std::string worst_stalls_text(const TimingReport& report, std::size_t limit,
                                            const TextStyle& style);

/// Returns the two largest bounds of a launch's part of the run's path; of the launch's own path if
/// it has no part in the run's.
[[nodiscard]] std::string bound_of(const TimingReport& report, const LaunchReport& launch);

/// Returns cycles and bytes on links by stage, tokens a second and the contents of memory; empty if
/// the run file names no stages.
[[nodiscard]] std::string stages_text(const TimingReport& report, const TextStyle& style);

/// Returns the imbalance of tokens over experts and devices and its cost; empty without experts.
[[nodiscard]] std::string moe_text(const TimingReport& report, const TextStyle& style);

/// Returns all of the above, in this order.
[[nodiscard]] std::string timing_text(const TimingReport& report, const TextStyle& style);

}  // namespace tessera::report
