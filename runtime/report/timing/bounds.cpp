// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tessera::report {
namespace {

/// Cycles that a unit of one device takes for its part of the work.
struct UnitTime {
    std::string_view unit;
    double cycles = 0;
};

// Units work at the same time, so that the slowest one is the bound. The rates are peaks: a step
// that reaches them in a replay is at its bound.
UnitTime slowest_unit(const LeastWork& work, std::uint32_t device, const TimingReport& report) {
    const PeakRates& peak = report.peak;
    const double devices = report.mesh.shape.num_devices();
    const auto over = [](double amount, double rate) { return rate > 0 ? amount / rate : 0; };
    const std::array<UnitTime, 4> units{{
        {"DRAM", over(work.dram_bytes * devices, peak.dram_bytes_per_cycle)},
        {"links", over(work.link_bytes, peak.device_link_rates.at(device))},
        {"FPU", over(2 * work.products * devices, peak.flops_per_cycle)},
        {"SFPU", over(work.vector_ops * devices, peak.vector_ops_per_cycle)},
    }};
    return *std::ranges::max_element(units, {}, &UnitTime::cycles);
}

Bound bound_on(const LeastWork& work, std::uint32_t device, const TimingReport& report) {
    const UnitTime slowest = slowest_unit(work, device, report);
    constexpr double kMillicycles = 1000;
    return {.time = static_cast<Millicycles>(std::floor(slowest.cycles * kMillicycles)),
            .by = std::string(slowest.unit),
            .device = device,
            .work = work};
}

/// Returns the part of a launch's time before all devices had begun, if its devices exchange
/// packets. A device that is early waits for the steps before, whose times hold this part.
Millicycles waited_for_starts(const LaunchReport& launch) {
    if (launch.work.link_bytes == 0 || launch.device_start.empty() || launch.device_end.empty()) {
        return 0;
    }
    const Millicycles together =
        std::ranges::max(launch.device_end) - std::ranges::max(launch.device_start);
    return std::max<Millicycles>(0, launch.device_time.expected - together);
}

}  // namespace

void note_bounds(std::span<const std::vector<LeastWork>> work, TimingReport& report) {
    // Devices advance from launch to launch by themselves: times add up on each device.
    std::vector<Millicycles> sums(report.mesh.shape.num_devices());
    std::vector<LeastWork> works(sums.size());
    for (std::size_t launch = 0; launch < std::min(work.size(), report.launches.size()); ++launch) {
        std::optional<Bound> longest;
        for (std::uint32_t device = 0; device < work[launch].size(); ++device) {
            Bound bound = bound_on(work[launch][device], device, report);
            sums.at(device) += bound.time;
            works.at(device) += bound.work;
            if (bound.time > (longest ? longest->time : 0)) {
                longest = std::move(bound);
            }
        }
        if (longest) {
            // A device may have moved its bytes before the last one began.
            const LaunchReport& timed = report.launches[launch];
            longest->waited =
                std::min(waited_for_starts(timed),
                         std::max<Millicycles>(0, timed.device_time.expected - longest->time));
        }
        report.launches[launch].bound = std::move(longest);
    }
    const auto most = std::ranges::max_element(sums);
    if (most != sums.end() && *most > 0) {
        const auto device = static_cast<std::uint32_t>(most - sums.begin());
        report.bound = Bound{.time = *most,
                             .by = std::string(slowest_unit(works[device], device, report).unit),
                             .device = device,
                             .work = works[device]};
    }
}

}  // namespace tessera::report
