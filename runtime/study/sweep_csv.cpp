// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>

#include "runtime/study/sweep_files.hpp"

namespace tessera::sweep {
namespace {

// RFC 4180: a field with a comma, a quote or a line break is quoted, and its quotes are doubled.
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char letter : text) {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + "\"";
}

std::string row(const std::vector<std::string>& cells) {
    std::vector<std::string> fields;
    fields.reserve(cells.size());
    for (const std::string& cell : cells) {
        fields.push_back(field(cell));
    }
    return fmt::format("{}\n", fmt::join(fields, ","));
}

std::string number(double value) {
    return fmt::format("{:.3f}", value);
}

/// Returns the names of all steps of all points, in the order of their first occurrence.
std::vector<std::string> steps_of(const SweepResult& result) {
    std::vector<std::string> names;
    for (const PointResult& point : result.points) {
        for (std::size_t i = 0; point.figures && i < point.figures->steps.size(); ++i) {
            const std::string& name = point.figures->steps[i].name;
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    return names;
}

std::string step_cell(const compare::RunFigures& run, const std::string& name) {
    // Layers repeat names of steps, whose times are added up.
    double time = 0;
    bool is_there = false;
    for (const compare::StepFigures& step : run.steps) {
        if (step.name == name) {
            time += static_cast<double>(step.time.expected) * 1e6 / run.clock.value;
            is_there = true;
        }
    }
    return is_there ? number(time) : "";
}

std::string slower_cell(const Ranked& entry) {
    return entry.rank == 1 ? word_of(entry) : name_of(entry.verdict.grade);
}

/// Returns the share of pairs in which the point is slower than the best of its case.
std::string share_cell(const Ranked& entry) {
    return entry.rank == 1 ? "" : fmt::format("{:.4f}", entry.verdict.share);
}

std::vector<std::string> ranked_cells(const SweepResult& result, const Ranked& entry) {
    const PointResult& point = result.points[entry.point];
    std::vector<std::string> cells{std::to_string(entry.rank)};
    cells.insert(cells.end(), point.values.begin(), point.values.end());
    const double clock = point.figures->clock.value;
    for (const std::string& cell :
         {number(entry.time.expected * clock * 1e-9), number(entry.time.expected),
          number(entry.time.low), number(entry.time.high), fmt::format("{:.4f}", entry.of_best),
          slower_cell(entry), share_cell(entry), entry.bound, std::to_string(point.recorded_by + 1),
          std::string()}) {
        cells.push_back(cell);
    }
    for (const std::string& step : steps_of(result)) {
        cells.push_back(step_cell(*point.figures, step));
    }
    return cells;
}

}  // namespace

std::string to_csv(const SweepResult& result) {
    std::vector<std::string> heads{"rank"};
    heads.insert(heads.end(), result.keys.begin(), result.keys.end());
    for (const char* head : {"cycles", "expected_ns", "low_ns", "high_ns", "of_best", "slower",
                             "slower_share", "bound", "recorded_by", "failure"}) {
        heads.emplace_back(head);
    }
    const std::size_t failure = heads.size() - 1;
    for (const std::string& step : steps_of(result)) {
        heads.push_back(step + "_ns");
    }
    std::string text = row(heads);
    for (const Ranked& entry : ranking(result)) {
        text += row(ranked_cells(result, entry));
    }
    // Points without a time have rows too, with the reason in the column `failure`.
    for (const PointResult& point : result.points) {
        if (!point.figures) {
            std::vector<std::string> cells(heads.size());
            std::ranges::copy(point.values, cells.begin() + 1);
            cells[failure] = point.failure;
            text += row(cells);
        }
    }
    return text;
}

}  // namespace tessera::sweep
