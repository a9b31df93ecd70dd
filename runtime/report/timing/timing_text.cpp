// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/timing_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

#include "runtime/report/core_map.hpp"
#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "runtime/report/timing/run_path.hpp"
#include "runtime/report/timing/timing_figures.hpp"

namespace tessera::report {
namespace {

double seconds_of(Millicycles time, Hertz clock) {
    return share_of(static_cast<double>(time) / kMillicyclesPerCycle, clock.value);
}

double share_of_time(Millicycles part, Millicycles whole) {
    return share_of(static_cast<double>(part), static_cast<double>(whole));
}

std::string line(const char* label, const std::string& text, const TextStyle& style) {
    return fmt::format("  {}{:{}}{}\n", painted(label, Tone::Heading, style), "",
                       10 - std::string_view(label).size(), text);
}

std::string makespan_line(const TimingReport& report) {
    const PredictedTime& time = report.makespan;
    std::string text = fmt::format("{} cycles, {} at {:.2f} GHz", show_cycles(time.expected),
                                   show_duration(seconds_of(time.expected, report.clock)),
                                   report.clock.value / 1e9);
    if (time.low != time.high) {
        text += fmt::format("; {} to {} in nine of ten draws", show_cycles(time.low),
                            show_cycles(time.high));
    }
    return text;
}

std::string rate_text(const Achieved& rate, double peak, Hertz clock, const char* unit) {
    return fmt::format("{} of {}: {}", show_share(rate.share), show_rate(peak * clock.value, unit),
                       show_rate(rate.per_cycle * clock.value, unit));
}

std::string achieved_lines(const TimingReport& report, const TextStyle& style) {
    const AchievedRates rates = achieved(report);
    const PeakRates& peak = report.peak;
    const Hertz clock = report.clock;
    std::string text =
        line("compute",
             rate_text(rates.compute, peak.flops_per_cycle, clock, "FLOP/s") +
                 fmt::format("; FPU utilisation {} (active cores)", show_share(rates.fpu_share)),
             style);
    text += line("DRAM", rate_text(rates.dram, peak.dram_bytes_per_cycle, clock, "B/s"), style);
    text += line("NoC",
                 rate_text(rates.noc, peak.noc_bytes_per_cycle, clock, "B/s") +
                     fmt::format(" injected; busiest link {}", show_share(rates.busiest_link)),
                 style);
    if (peak.link_bytes_per_cycle > 0) {
        text += line("mesh", rate_text(rates.mesh, peak.link_bytes_per_cycle, clock, "B/s"), style);
    }
    return text;
}

std::string largest(const std::vector<BoundShare>& shares, Millicycles whole, std::size_t limit) {
    std::string text;
    for (std::size_t i = 0; i < std::min(limit, shares.size()); ++i) {
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", shares[i].name,
                            show_share(share_of_time(shares[i].time, whole)));
    }
    return text;
}

// Returns the assumed constants that price the path: "dram.burst, risc.cb_push and 3 more". Their
// part of the path does not show their effect on the makespan; tessera advise moves each of them.
std::string assumed_text(const TimingReport& report) {
    constexpr std::size_t kMost = 3;
    constexpr std::array<std::string_view, 2> kPrefixes{"arch.timing.", "timing."};
    std::vector<std::string> names;
    for (const AssumedShare& part : report.assumed) {
        for (std::string name : part.constants) {
            for (const std::string_view prefix : kPrefixes) {
                name.erase(0, name.starts_with(prefix) ? prefix.size() : 0);
            }
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(std::move(name));
            }
        }
    }
    const std::size_t shown = std::min(kMost, names.size());
    std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
    if (names.size() > shown) {
        text += fmt::format(" and {} more", names.size() - shown);
    }
    return text + "; see tessera advise";
}

using CellOf = std::function<std::string(const LaunchReport&)>;

LaunchWindow window_of(const TimingReport& report, const LaunchReport& launch) {
    return launch_windows(report)[static_cast<std::size_t>(&launch - report.launches.data())];
}

std::string interval_cell(const LaunchReport& launch) {
    return fmt::format("{} … {}", show_cycles(launch.device_time.low),
                       show_cycles(launch.device_time.high));
}

std::string run_share_cell(const TimingReport& report, const LaunchReport& launch) {
    const LaunchWindow window = window_of(report, launch);
    return show_share(share_of_time(window.until - window.from, report.makespan.expected));
}

Column launch_column(const TimingReport& report, std::string heading, Align align,
                     std::uint32_t rank, const CellOf& cell_of) {
    Column column{std::move(heading), align, rank, {}};
    for (const LaunchReport& launch : report.launches) {
        column.cells.push_back({cell_of(launch)});
    }
    return column;
}

std::string core_name(const TimingReport& report, std::uint16_t device, CoreCoord core) {
    return report.mesh.shape.num_devices() > 1 ? fmt::format("{}:{}", device, to_string(core))
                                               : to_string(core);
}

std::string imbalance_cell(const TimingReport& report, const LaunchReport& launch) {
    const Imbalance imbalance = imbalance_of(launch);
    return fmt::format("{:.2f} {}", imbalance.factor,
                       core_name(report, imbalance.device, imbalance.straggler));
}

}  // namespace

std::string bound_of(const TimingReport& report, const LaunchReport& launch) {
    const LaunchWindow window = window_of(report, launch);
    const Millicycles length = window.until - window.from;
    return length > 0 ? largest(bounds_of(path_in(launch, window)), length, 2)
                      : largest(bounds_of(launch.path), launch.makespan.expected, 2);
}

std::string over_bound_text(Millicycles time, const std::optional<Bound>& bound) {
    const double ratio = over_bound(time, bound);
    // Below ten the second decimal tells two schedules apart.
    return ratio == 0 ? "–" : ratio < 10 ? fmt::format("{:.2f}", ratio) : show_count(ratio);
}

std::string makespan_text(const TimingReport& report, const TextStyle& style) {
    std::string text = line("makespan", makespan_line(report), style);
    if (report.bound) {
        text += line(
            "bound",
            fmt::format("{} cycles on device {}, mostly {}; the run takes {} ×",
                        show_cycles(report.bound->time), report.bound->device, report.bound->by,
                        over_bound_text(report.makespan.expected, report.bound)),
            style);
    }
    return text + achieved_lines(report, style);
}

std::string launches_text(const TimingReport& report, const TextStyle& style) {
    const auto column = [&](std::string heading, Align align, std::uint32_t rank,
                            const CellOf& cell_of) {
        return launch_column(report, std::move(heading), align, rank, cell_of);
    };
    using Launch = const LaunchReport&;
    std::vector<Column> columns{
        column("step", Align::Left, 9, [](Launch l) { return l.name; }),
        column("cycles", Align::Right, 9,
               [](Launch l) { return show_cycles(l.device_time.expected); }),
        column("interval", Align::Right, 2, interval_cell),
        column("share", Align::Right, 7, [&](Launch l) { return run_share_cell(report, l); }),
        column("cores", Align::Right, 4, [](Launch l) { return show_count(l.work.cores_given); }),
        column("math", Align::Right, 6, [](Launch l) { return show_share(given_utilisation(l)); }),
        column("FPU", Align::Right, 3,
               [&](Launch l) { return show_share(achieved(l, report.peak).fpu_share); }),
        column("DRAM", Align::Right, 3,
               [&](Launch l) { return show_share(achieved(l, report.peak).dram.share); }),
        column("imbalance, longest", Align::Left, 5,
               [&](Launch l) { return imbalance_cell(report, l); }),
        column("bound by", Align::Left, 8, [&](Launch l) { return bound_of(report, l); }),
    };
    // The work of a trace's launches is unknown.
    if (report.bound) {
        constexpr std::ptrdiff_t kAfterShare = 4;
        columns.insert(columns.begin() + kAfterShare,
                       column("× bound", Align::Right, 7, [](Launch l) {
                           return over_bound_text(l.device_time.expected, l.bound);
                       }));
    }
    return to_text(std::move(columns), style);
}

std::string bound_text(const TimingReport& report, const TextStyle& style) {
    const std::vector<BoundShare> bounds = bounds_of(report);
    if (bounds.empty()) {
        return "";
    }
    std::string text = line("bound by", largest(bounds, report.makespan.expected, 4), style);
    if (!report.assumed.empty()) {
        text += line("assumed", assumed_text(report), style);
    }
    return text;
}

std::string utilisation_text(const TimingReport& report, const TextStyle& style) {
    const GridSize grid = report.arch.workers.compute;
    std::vector<double> shares = core_shares(report, CoreMetric::Math);
    const bool has_math = std::ranges::any_of(shares, [](double share) { return share > 0; });
    if (!has_math) {
        shares = core_shares(report, CoreMetric::Busy);
    }
    const std::uint32_t devices = report.mesh.shape.num_devices();
    const std::string mean = devices > 1 ? fmt::format(", mean of {} devices", devices) : "";
    const std::string title = fmt::format("{}, % of the makespan{}",
                                          has_math ? "math utilisation" : "busiest thread", mean);
    return draw_core_map(painted(title, Tone::Heading, style), mean_over_devices(shares, grid),
                         grid, style);
}

std::string timing_text(const TimingReport& report, const TextStyle& style) {
    std::string text = makespan_text(report, style) + bound_text(report, style) + "\n" +
                       launches_text(report, style) + "\n" + utilisation_text(report, style);
    for (const std::string& part :
         {stages_text(report, style), stalls_text(report, style), moe_text(report, style)}) {
        text += part.empty() ? "" : "\n" + part;
    }
    return text;
}

}  // namespace tessera::report
