// SPDX-License-Identifier: Apache-2.0
// Writes the part of timing_text.hpp about a mixture of experts.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runtime/report/core_figures.hpp"
#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "runtime/report/timing/timing_text.hpp"

namespace tessera::report {
namespace {

/// Returns mean, maximum and their ratio.
std::string unevenness(const std::vector<double>& values) {
    double sum = 0;
    double most = 0;
    for (const double value : values) {
        sum += value;
        most = std::max(most, value);
    }
    const double mean = share_of(sum, static_cast<double>(values.size()));
    return fmt::format("mean {:.1f}, most {:.0f}, {:.2f} times the mean", mean, most,
                       share_of(most, mean));
}

std::string tokens_text(const ExpertLoad& moe, std::uint32_t num_devices) {
    std::vector<double> experts;
    std::vector<double> devices(num_devices);
    for (const ExpertLoad::Expert& expert : moe.experts) {
        experts.push_back(expert.tokens);
        devices.at(expert.device) += expert.tokens;
    }
    std::string text =
        fmt::format("  tokens of {} experts: {}\n", experts.size(), unevenness(experts));
    if (num_devices > 1) {
        text += fmt::format("  tokens of {} devices: {}\n", num_devices, unevenness(devices));
    }
    return text;
}

std::vector<const LaunchReport*> launches_of_experts(const TimingReport& report) {
    std::vector<const LaunchReport*> launches;
    for (const LaunchReport& launch : report.launches) {
        const auto& names = report.moe->launches;
        if (std::ranges::find(names, launch.name) != names.end()) {
            launches.push_back(&launch);
        }
    }
    return launches;
}

std::string tiles_cell(const LaunchReport& launch) {
    std::vector<double> tiles;
    for (const CoreReport& core : launch.cores) {
        tiles.push_back(static_cast<double>(core.tiles_packed));
    }
    const Spread spread = spread_of(std::move(tiles));
    return fmt::format("{}, {}, {}", show_count(spread.min), show_count(spread.median),
                       show_count(spread.max));
}

}  // namespace

std::string moe_text(const TimingReport& report, const TextStyle& style) {
    if (!report.moe) {
        return "";
    }
    std::vector<Column> columns{{"step of experts", Align::Left, 9, {}},
                                {"cores given", Align::Right, 7, {}},
                                {"their math busy", Align::Right, 8, {}},
                                {"tiles: min, median, max", Align::Right, 5, {}},
                                {"longest / mean core", Align::Right, 8, {}},
                                {"straggler", Align::Left, 6, {}}};
    for (const LaunchReport* launch : launches_of_experts(report)) {
        const Imbalance imbalance = imbalance_of(*launch);
        columns[0].cells.push_back({launch->name});
        columns[1].cells.push_back({show_count(launch->work.cores_given)});
        columns[2].cells.push_back({show_share(given_utilisation(*launch))});
        columns[3].cells.push_back({tiles_cell(*launch)});
        columns[4].cells.push_back({fmt::format("{:.2f}", imbalance.factor)});
        columns[5].cells.push_back(
            {fmt::format("device {} {}", imbalance.device, to_string(imbalance.straggler))});
    }
    return tokens_text(*report.moe, report.mesh.shape.num_devices()) + to_text(columns, style);
}

}  // namespace tessera::report
