// SPDX-License-Identifier: Apache-2.0
// Figures that text and JSON both show.
#pragma once

#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// part / whole; 0 of nothing.
[[nodiscard]] double share_of(double part, double whole) noexcept;

/// What was done per cycle, and its share of what the machine can do at most.
struct Achieved {
    double per_cycle = 0;
    double share = 0;
};

struct AchievedRates {
    Achieved compute;         ///< FLOP of tile products, against the FPUs of all cores at LoFi
    double fpu_share = 0;     ///< the same with the fidelity phases asked for, against given cores
    Achieved dram;            ///< bytes
    Achieved noc;             ///< bytes injected
    double busiest_link = 0;  ///< share of the makespan in which the busiest NoC link was occupied
    Achieved mesh;            ///< bytes over links between devices
};

[[nodiscard]] AchievedRates achieved(const LaunchReport& launch, const PeakRates& peak);
/// Over the whole run, the gaps between launches included.
[[nodiscard]] AchievedRates achieved(const TimingReport& report);

/// How unevenly the cores of a launch are occupied, each from its start to its last end.
struct Imbalance {
    double factor = 1;  ///< longest / mean of the cores that were given
    std::uint16_t device = 0;
    CoreCoord straggler;  ///< the first of those that take longest
};
[[nodiscard]] Imbalance imbalance_of(const LaunchReport& launch);

/// What a map of the cores shows.
enum class CoreMetric : std::uint8_t {
    Math,  ///< math thread at work
    Busy,  ///< the busiest of the core's threads
};
/// Shares of the run by (device, y, x), idle cores included.
[[nodiscard]] std::vector<double> core_shares(const TimingReport& report, CoreMetric metric);

/// Busy time of the given cores' math over the time that they were given.
[[nodiscard]] double given_utilisation(const LaunchReport& launch);

}  // namespace tessera::report
