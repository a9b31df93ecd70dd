// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/timing/summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>
#include <vector>

#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/timing/run_path.hpp"
#include "runtime/report/timing/timing_figures.hpp"
#include "runtime/report/timing/timing_text.hpp"

namespace tessera::report {
namespace {

constexpr std::size_t kMostRows = 12;
constexpr std::size_t kMostStalls = 2;

/// Row of the summary: a step, or a launch of a trace.
struct Row {
    std::string name;
    std::string op;
    std::uint32_t num_cores = 0;
    std::optional<Millicycles> cycles;
    Millicycles of_run = 0;  ///< the part of the makespan that its launch decides
    std::string over_bound;
    std::string bound;
    Cell check;
    bool has_failed = false;
};

Cell check_cell(const StepRecord& step) {
    if (!step.check) {
        return {"not checked"};
    }
    return step.check->passed() ? Cell{"ok", Tone::Good} : Cell{"FAIL", Tone::Bad};
}

void add_timing(const TimingReport& timing, std::size_t launch_index, Millicycles of_run,
                Row& row) {
    const LaunchReport& launch = timing.launches.at(launch_index);
    row.cycles = launch.device_time.expected;
    row.of_run = of_run;
    row.over_bound = over_bound_text(launch.device_time.expected, launch.bound);
    row.bound = bound_of(timing, launch);
}

std::vector<Row> rows_of(const RunRecord& record, const TimingReport* timing) {
    const std::vector<LaunchWindow> windows =
        timing == nullptr ? std::vector<LaunchWindow>{} : launch_windows(*timing);
    std::vector<Row> rows;
    for (const StepRecord& step : record.steps) {
        Row& row = rows.emplace_back(Row{.name = step.name,
                                         .op = step.op,
                                         .num_cores = step.num_cores,
                                         .cycles = {},
                                         .over_bound = {},
                                         .bound = {},
                                         .check = check_cell(step)});
        row.has_failed = step.check && !step.check->passed();
        const bool is_first =
            rows.size() == 1 || record.steps[rows.size() - 2].launch != step.launch;
        if (step.launch < windows.size()) {
            const LaunchWindow& window = windows[step.launch];
            // Steps that share a launch share its part of the run, too.
            add_timing(*timing, step.launch, is_first ? window.until - window.from : 0, row);
        }
    }
    return rows;
}

std::vector<Row> rows_of(const TimingReport& timing) {
    const std::vector<LaunchWindow> windows = launch_windows(timing);
    std::vector<Row> rows;
    for (std::size_t i = 0; i < timing.launches.size(); ++i) {
        const LaunchReport& launch = timing.launches[i];
        Row& row = rows.emplace_back(Row{.name = launch.name,
                                         .op = {},
                                         .num_cores = launch.work.cores_given,
                                         .cycles = {},
                                         .over_bound = {},
                                         .bound = {},
                                         .check = {}});
        add_timing(timing, i, windows[i].until - windows[i].from, row);
    }
    return rows;
}

/// Selects the rows to show, in the order of the run: failed ones first, then the longest.
std::vector<std::size_t> chosen(const std::vector<Row>& rows) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return std::pair(rows[a].has_failed, rows[a].of_run) >
               std::pair(rows[b].has_failed, rows[b].of_run);
    });
    order.resize(std::min(order.size(), kMostRows));
    std::ranges::sort(order);
    return order;
}

std::string share_cell(const Row& row, const TimingReport& timing) {
    return show_share(
        share_of(static_cast<double>(row.of_run), static_cast<double>(timing.makespan.expected)));
}

std::string table_text(const std::vector<Row>& rows, const TimingReport* timing, bool has_values,
                       const TextStyle& style) {
    const std::vector<std::size_t> shown = chosen(rows);
    const auto column = [&](const char* heading, Align align, std::uint32_t rank, auto cell_of) {
        Column made{heading, align, rank, {}};
        for (const std::size_t index : shown) {
            made.cells.push_back(cell_of(rows[index]));
        }
        return made;
    };
    std::vector<Column> columns{
        column("step", Align::Left, 9, [](const Row& row) { return Cell{row.name}; })};
    if (has_values) {
        columns.push_back(
            column("op", Align::Left, 3, [](const Row& row) { return Cell{row.op}; }));
    }
    columns.push_back(column("cores", Align::Right, 4,
                             [](const Row& row) { return Cell{show_count(row.num_cores)}; }));
    if (timing != nullptr) {
        columns.push_back(column("cycles", Align::Right, 8, [](const Row& row) {
            return Cell{row.cycles ? show_cycles(*row.cycles) : "–"};
        }));
        columns.push_back(column("of run", Align::Right, 7,
                                 [&](const Row& row) { return Cell{share_cell(row, *timing)}; }));
        if (timing->bound) {
            columns.push_back(column("× bound", Align::Right, 5,
                                     [](const Row& row) { return Cell{row.over_bound}; }));
        }
    }
    if (has_values) {
        columns.push_back(
            column("check", Align::Left, 9, [](const Row& row) { return row.check; }));
    }
    if (timing != nullptr) {
        columns.push_back(
            column("bound by", Align::Left, 6, [](const Row& row) { return Cell{row.bound}; }));
    }
    std::string text = to_text(std::move(columns), style);
    if (shown.size() < rows.size()) {
        text += fmt::format("  … and {} steps that take less\n", rows.size() - shown.size());
    }
    return text;
}

std::string clipped_lines(const std::string& text, const TextStyle& style) {
    std::istringstream lines(text);
    std::string clipped_text;
    for (std::string line; std::getline(lines, line);) {
        clipped_text += clipped(line, style.width) + "\n";
    }
    return clipped_text;
}

// Returns a note for meshes, on which steps overlap and the sum of their cycles exceeds the
// makespan.
std::string overlap_text(const TimingReport& timing) {
    Millicycles sum = 0;
    for (const LaunchReport& launch : timing.launches) {
        sum += launch.device_time.expected;
    }
    return sum <= timing.makespan.expected
               ? ""
               : "  Steps overlap, so that their cycles add up to more than the makespan.\n";
}

std::string times_text(const TimingReport& timing, const TextStyle& style) {
    return clipped_lines(makespan_text(timing, style) + bound_text(timing, style), style) +
           worst_stalls_text(timing, kMostStalls, style) + overlap_text(timing);
}

}  // namespace

std::string summary_text(const RunRecord* record, const TimingReport* timing,
                         const TextStyle& given) {
    TextStyle style = given;
    style.width = std::min(style.width, kSummaryWidth);
    const std::vector<Row> rows = record == nullptr ? rows_of(*timing) : rows_of(*record, timing);
    std::string text = table_text(rows, timing, record != nullptr, style) + "\n";
    std::string hidden = record == nullptr ? "" : "parameters of steps, errors, work per core";
    if (timing != nullptr) {
        text += times_text(*timing, style);
        hidden += record == nullptr ? "" : ", ";
        hidden += "intervals, maps, stalls";
    }
    return text + clipped("  not shown: " + hidden + "; --full prints all", style.width) + "\n";
}

}  // namespace tessera::report
