// SPDX-License-Identifier: Apache-2.0
// The cores part of run_text.hpp.
#include <fmt/format.h>

#include <array>
#include <functional>

#include "runtime/report/core_figures.hpp"
#include "runtime/report/core_map.hpp"
#include "runtime/report/number_text.hpp"
#include "runtime/report/run_text.hpp"
#include "runtime/report/text_table.hpp"

namespace tessera::report {
namespace {

using Cores = std::span<const CoreActivity>;

/// One figure of a core with its format.
struct Figure {
    const char* name;
    double (*of)(const CoreActivity&);
    std::string (*show)(double);
};

constexpr std::array kFigures{
    Figure{"tiles computed", [](const CoreActivity& c) { return work_of(c); }, show_count},
    Figure{"tile products",
           [](const CoreActivity& c) { return static_cast<double>(c.tiles_multiplied); },
           show_count},
    Figure{"bytes read", [](const CoreActivity& c) { return static_cast<double>(c.bytes_read); },
           show_bytes},
    Figure{"bytes written",
           [](const CoreActivity& c) { return static_cast<double>(c.bytes_written); }, show_bytes},
    Figure{"bytes over links",
           [](const CoreActivity& c) { return static_cast<double>(c.bytes_linked); }, show_bytes},
};

std::vector<double> values_of(Cores cores, const Figure& figure) {
    std::vector<double> values;
    for (const CoreActivity& core : cores) {
        values.push_back(figure.of(core));
    }
    return values;
}

double sum_of(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

/// Table with rows of minimum, median, maximum and sum.
class SpreadTable {
public:
    explicit SpreadTable(std::string heading)
        : columns_{{std::move(heading), Align::Left, 9, {}},
                   {"min", Align::Right, 8, {}},
                   {"median", Align::Right, 8, {}},
                   {"max", Align::Right, 8, {}},
                   {"all cores", Align::Right, 7, {}}} {}

    void add(const std::string& name, const std::vector<double>& values,
             std::string (*show)(double), const std::string& sum) {
        const Spread spread = spread_of(values);
        const std::array cells{name, show(spread.min), show(spread.median), show(spread.max), sum};
        for (std::size_t i = 0; i < cells.size(); ++i) {
            columns_[i].cells.push_back({cells[i]});
        }
    }
    [[nodiscard]] std::string text(const TextStyle& style) const {
        return to_text(columns_, style);
    }
    /// Table without sums, for shares.
    void drop_sums() { columns_.pop_back(); }

private:
    std::vector<Column> columns_;
};

std::string figures_text(Cores cores, const std::vector<double>& shares, const TextStyle& style) {
    SpreadTable table("per core, whole run");
    for (const Figure& figure : kFigures) {
        const std::vector<double> values = values_of(cores, figure);
        table.add(figure.name, values, figure.show, figure.show(sum_of(values)));
    }
    table.add("share of the busiest core", shares, show_share, "");
    return table.text(style);
}

// Each device's cores against the busiest core of the mesh.
std::string devices_text(std::span<const double> shares, std::size_t cores_a_device,
                         const TextStyle& style) {
    SpreadTable table("share by device");
    for (std::size_t first = 0; first < shares.size(); first += cores_a_device) {
        const auto own = shares.subspan(first, cores_a_device);
        table.add(fmt::format("device {}", first / cores_a_device), {own.begin(), own.end()},
                  show_share, "");
    }
    table.drop_sums();
    return table.text(style);
}

std::string maps_text(std::span<const double> shares, GridSize grid, const TextStyle& style) {
    constexpr std::size_t kMostMaps = 8;  // of more devices only the mean is drawn
    const std::size_t num_cores = std::size_t{grid.columns} * grid.rows;
    const std::size_t num_devices = shares.size() / num_cores;
    std::vector<std::string> maps;
    if (num_devices > kMostMaps) {
        maps.push_back(draw_core_map(fmt::format("mean of {} devices", num_devices),
                                     mean_over_devices(shares, grid), grid, style));
    }
    for (std::size_t device = 0; device < num_devices && num_devices <= kMostMaps; ++device) {
        maps.push_back(draw_core_map(fmt::format("device {}", device),
                                     shares.subspan(device * num_cores, num_cores), grid, style));
    }
    return "  " + painted("share of the busiest core, %", Tone::Heading, style) + "\n" +
           side_by_side(maps, core_map_width(grid), style);
}

}  // namespace

std::string cores_text(const RunRecord& record, const TextStyle& style) {
    const GridSize grid = record.arch.workers.compute;
    const std::vector<double> shares = shares_of_busiest(record.cores);
    const std::size_t cores_a_device = std::size_t{grid.columns} * grid.rows;
    std::string text = figures_text(record.cores, shares, style) + "\n";
    if (shares.size() > cores_a_device) {
        text += devices_text(shares, cores_a_device, style) + "\n";
    }
    return text + maps_text(shares, grid, style);
}

}  // namespace tessera::report
