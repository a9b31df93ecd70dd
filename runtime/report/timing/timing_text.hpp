// SPDX-License-Identifier: Apache-2.0
// A timed run as text for people: how long, what bounds it, where it waits.
#pragma once

#include <string>

#include "runtime/report/text_style.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// "makespan 123 456 cycles (123 us at 1.00 GHz), …" and achieved against peak.
[[nodiscard]] std::string makespan_text(const TimingReport& report, const TextStyle& style);
/// One row per launch: cycles, share, cores, utilisation, imbalance, what bounds it.
[[nodiscard]] std::string launches_text(const TimingReport& report, const TextStyle& style);
/// What the critical path of the run is spent on, and which parts of it rest on assumed constants.
[[nodiscard]] std::string bound_text(const TimingReport& report, const TextStyle& style);
/// Busy share of the math threads in the shape of the grid.
[[nodiscard]] std::string utilisation_text(const TimingReport& report, const TextStyle& style);
/// The five worst stalls with their lines.
[[nodiscard]] std::string stalls_text(const TimingReport& report, const TextStyle& style);

/// The worst stalls, at most `limit` of them, a line for each.
[[nodiscard]] std::string worst_stalls_text(const TimingReport& report, std::size_t limit,
                                            const TextStyle& style);

/// What a launch's part of the run is spent on: the two largest shares. Of a launch that decides
/// nothing of the run, its own path.
[[nodiscard]] std::string bound_of(const TimingReport& report, const LaunchReport& launch);

/// Cycles and bytes on links by stage, tokens a second and what memory holds; empty where the run
/// file names no stages.
[[nodiscard]] std::string stages_text(const TimingReport& report, const TextStyle& style);

/// How unevenly tokens fall on experts and devices, and what that costs; empty without experts.
[[nodiscard]] std::string moe_text(const TimingReport& report, const TextStyle& style);

/// All of it, in this order.
[[nodiscard]] std::string timing_text(const TimingReport& report, const TextStyle& style);

}  // namespace tessera::report
