// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/timing_figures.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tessera::report {
namespace {

constexpr double kFlopsPerProduct = 2.0 * 32 * 32 * 32;

using LinkKey = std::tuple<std::uint16_t, std::uint8_t, CoreCoord, std::uint8_t>;
using LinkTimes = std::map<LinkKey, Millicycles>;

double number(auto value) {
    return static_cast<double>(value);
}

void add_links(const LaunchReport& launch, LinkTimes& times) {
    for (const ResourceUse& use : launch.resources) {
        if (use.kind == ResourceKind::NocLink) {
            times[{use.device, use.noc, use.node, use.direction}] += use.busy;
        }
    }
}

double busiest_of(const LinkTimes& times, Millicycles makespan) {
    Millicycles most = 0;
    for (const auto& [link, busy] : times) {
        most = std::max(most, busy);
    }
    return share_of(number(most), number(makespan));
}

Achieved against(double amount, Millicycles makespan, double peak) {
    const double cycles = number(makespan) / number(kMillicyclesPerCycle);
    const double per_cycle = share_of(amount, cycles);
    return {per_cycle, share_of(per_cycle, peak)};
}

AchievedRates rates_of(const WorkReport& work, Millicycles makespan, const PeakRates& peak) {
    return {
        .compute =
            against(number(work.tile_products) * kFlopsPerProduct, makespan, peak.flops_per_cycle),
        .dram = against(number(work.dram_bytes), makespan, peak.dram_bytes_per_cycle),
        .noc = against(number(work.noc_bytes), makespan, peak.noc_bytes_per_cycle),
        .mesh = against(number(work.link_bytes), makespan, peak.link_bytes_per_cycle),
    };
}

Millicycles busy_time(const ThreadReport& thread) {
    Millicycles busy = 0;
    for (std::size_t activity = 0; activity < kNumActivities; ++activity) {
        busy += is_busy(static_cast<Activity>(activity)) ? thread.totals[activity] : 0;
    }
    return busy;
}

}  // namespace

double share_of(double part, double whole) noexcept {
    return whole > 0 ? part / whole : 0;
}

AchievedRates achieved(const LaunchReport& launch, const PeakRates& peak) {
    const Millicycles makespan = launch.makespan.expected;
    AchievedRates rates = rates_of(launch.work, makespan, peak);
    rates.fpu_share = share_of(number(launch.work.ideal_math), number(launch.work.given_time));
    LinkTimes links;
    add_links(launch, links);
    rates.busiest_link = busiest_of(links, makespan);
    return rates;
}

AchievedRates achieved(const TimingReport& report) {
    WorkReport sum;
    double given = 0;
    LinkTimes links;
    for (const LaunchReport& launch : report.launches) {
        sum.tile_products += launch.work.tile_products;
        sum.ideal_math += launch.work.ideal_math;
        sum.dram_bytes += launch.work.dram_bytes;
        sum.noc_bytes += launch.work.noc_bytes;
        sum.link_bytes += launch.work.link_bytes;
        given += number(launch.work.given_time);
        add_links(launch, links);
    }
    AchievedRates rates = rates_of(sum, report.makespan.expected, report.peak);
    rates.fpu_share = share_of(number(sum.ideal_math), given);
    rates.busiest_link = busiest_of(links, report.makespan.expected);
    return rates;
}

Imbalance imbalance_of(const LaunchReport& launch) {
    double sum = 0;
    const CoreReport* longest = nullptr;
    const auto length = [](const CoreReport& core) { return core.finish - core.begin; };
    for (const CoreReport& core : launch.cores) {
        sum += number(length(core));
        longest = longest == nullptr || length(core) > length(*longest) ? &core : longest;
    }
    if (longest == nullptr || sum == 0) {
        return {};
    }
    const double mean = sum / number(launch.cores.size());
    return {number(length(*longest)) / mean, longest->device, longest->core};
}

std::vector<double> core_shares(const TimingReport& report, CoreMetric metric) {
    const GridSize grid = report.arch.workers.compute;
    const std::size_t cores = std::size_t{grid.columns} * grid.rows;
    std::vector<double> times(cores * report.mesh.shape.num_devices());
    const auto index = [&](std::uint16_t device, CoreCoord core) {
        return device * cores + std::size_t{core.y} * grid.columns + core.x;
    };
    for (const LaunchReport& launch : report.launches) {
        std::vector<double> most(times.size());
        for (const CoreReport& core : launch.cores) {
            if (metric == CoreMetric::Math) {
                most.at(index(core.device, core.core)) = number(core.busy_math);
            }
        }
        for (const ThreadReport& thread : launch.threads) {
            if (metric == CoreMetric::Busy) {
                double& value = most.at(index(thread.device, thread.core));
                value = std::max(value, number(busy_time(thread)));
            }
        }
        for (std::size_t i = 0; i < times.size(); ++i) {
            times[i] += share_of(most[i], number(report.makespan.expected));
        }
    }
    return times;
}

double given_utilisation(const LaunchReport& launch) {
    return share_of(number(launch.work.busy_math), number(launch.work.given_time));
}

}  // namespace tessera::report
