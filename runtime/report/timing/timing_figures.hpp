// SPDX-License-Identifier: Apache-2.0
// Figures that both text and JSON show.
#pragma once

#include <vector>

#include "runtime/report/timing/timing_report.hpp"

namespace tessera::report {

/// Returns part / whole; 0 if `whole` is 0.
[[nodiscard]] double share_of(double part, double whole) noexcept;

/// Achieved rate per cycle, and its share of the machine's peak.
struct Achieved {
    double per_cycle = 0;
    double share = 0;
};

struct AchievedRates {
    Achieved compute;         ///< FLOP of tile products, against the FPUs of all cores at LoFi
    double fpu_share = 0;     ///< like `compute`, with the stated fidelity's phases, given cores
    Achieved dram;            ///< bytes
    Achieved noc;             ///< bytes injected
    double busiest_link = 0;  ///< share of the makespan in which the busiest NoC link was occupied
    Achieved mesh;            ///< bytes over links between devices
};

[[nodiscard]] AchievedRates achieved(const LaunchReport& launch, const PeakRates& peak);
/// Returns the rates over the whole run, including gaps between launches.
[[nodiscard]] AchievedRates achieved(const TimingReport& report);

/// Imbalance of the cores of a launch, each occupied from its start to its last end.
struct Imbalance {
    double factor = 1;  ///< longest / mean of the given cores
    std::uint16_t device = 0;
    CoreCoord straggler;  ///< the first core with the longest time
};
[[nodiscard]] Imbalance imbalance_of(const LaunchReport& launch);

/// Value of a map of the cores.
enum class CoreMetric : std::uint8_t {
    Math,  ///< math thread at work
    Busy,  ///< the busiest of the core's threads
};
/// Returns shares of the run by (device, y, x), including idle cores.
[[nodiscard]] std::vector<double> core_shares(const TimingReport& report, CoreMetric metric);

/// Returns the math threads' busy time divided by the time of the given cores.
[[nodiscard]] double given_utilisation(const LaunchReport& launch);

}  // namespace tessera::report
