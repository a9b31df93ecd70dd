// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/run_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <span>

#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/workload_text.hpp"

namespace tessera::report {
namespace {

using CellOf = std::function<Cell(const StepRecord&)>;

Column step_column(const RunRecord& record, std::string heading, Align align, std::uint32_t rank,
                   const CellOf& cell_of) {
    Column column{std::move(heading), align, rank, {}};
    for (const StepRecord& step : record.steps) {
        column.cells.push_back(cell_of(step));
    }
    return column;
}

// Returns "–" for a step that was not verified.
Cell check_cell(const StepRecord& step, const std::function<std::string(const StepCheck&)>& show) {
    if (!step.check) {
        return {"–"};
    }
    return {show(*step.check), step.check->passed() ? Tone::Plain : Tone::Bad};
}

// Returns "–" without timing.
Cell cycles_cell(const StepRecord& step) {
    return {step.device_time ? show_cycles(step.device_time->expected) : "–"};
}

Cell check_word(const StepRecord& step) {
    if (!step.check) {
        return {"not checked"};
    }
    return step.check->passed() ? Cell{"ok", Tone::Good} : Cell{"FAIL", Tone::Bad};
}

// Worst correlation and error of the steps that were checked.
StepCheck worst_of(const RunRecord& record) {
    StepCheck worst;
    for (const StepRecord& step : record.steps) {
        if (step.check) {
            worst.pcc = std::min(worst.pcc, step.check->pcc);
            worst.max_relative_error =
                std::max(worst.max_relative_error, step.check->max_relative_error);
        }
    }
    return worst;
}

// Returns "  … and 5 more steps".
std::string more_text(std::size_t number, std::size_t limit, const char* what) {
    return number <= limit ? "" : fmt::format("  … and {} more {}\n", number - limit, what);
}

std::string nans_text(const RunRecord& record, std::size_t limit) {
    std::string text;
    const std::size_t num_shown = std::min(limit, record.nans.size());
    for (const NanNote& note : std::span(record.nans).first(num_shown)) {
        text += fmt::format("  NaN: {} of {} elements of {} {}, first at {}\n", note.count,
                            note.num_elements,
                            note.step.empty() ? "input" : "the result of " + note.step + ",",
                            note.tensor, note.first);
    }
    return text + more_text(record.nans.size(), limit, "tensors with NaN");
}

std::string findings_text(const std::vector<Finding>& findings, std::size_t limit) {
    std::string text;
    for (const Finding& finding : std::span(findings).first(std::min(limit, findings.size()))) {
        text += fmt::format("  {}\n", text_of(finding));
    }
    return text + more_text(findings.size(), limit,
                            "tolerated lines (--json has all; --strict "
                            "ends the run at the first)");
}

/// Returns " with NaN in x, y;", which is part of the verdict of each run with NaN.
std::string nan_words(const RunRecord& record) {
    std::vector<std::string> names;
    for (const NanNote& note : record.nans) {
        if (std::ranges::find(names, note.tensor) == names.end()) {
            names.push_back(note.tensor);
        }
    }
    return names.empty() ? "" : fmt::format(" with NaN in {};", fmt::join(names, ", "));
}

std::size_t num_checked(const RunRecord& record) {
    return static_cast<std::size_t>(std::ranges::count_if(
        record.steps, [](const StepRecord& step) { return step.check.has_value(); }));
}

std::string workspaces_text(const RunRecord& record) {
    std::string text;
    for (const WorkspaceRecord& workspace : record.workspaces) {
        text +=
            fmt::format("workspace {}: {} on each device for {} tensors of {}\n", workspace.name,
                        show_bytes(static_cast<double>(workspace.bytes)), workspace.tensors.size(),
                        show_bytes(static_cast<double>(workspace.bytes_apart)));
    }
    return text;
}

/// Returns `values` after `head`, separated by commas; continued lines are indented.
std::string wrapped(const std::string& head, const std::vector<std::string>& values,
                    const TextStyle& style) {
    constexpr std::string_view kIndent = "    ";
    std::string text;
    std::string line = head;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string value = values[i] + (i + 1 < values.size() ? "," : "");
        const bool is_first = line == head || line == kIndent;
        if (!is_first && columns_of(line) + 1 + columns_of(value) > style.width) {
            text += line + "\n";
            line = std::string(kIndent) + value;
        } else {
            line += (is_first ? "" : " ") + value;
        }
    }
    return text + line + "\n";
}

/// Returns a line for each check that says something: "  gate: PCC 0.99 is below 0.9999".
std::string check_lines(const RunRecord& record, std::size_t limit, std::string StepCheck::*said) {
    std::string text;
    std::size_t number = 0;
    for (const StepRecord& step : record.steps) {
        if (step.check && !((*step.check).*said).empty() && number++ < limit) {
            text += fmt::format("  {}: {}\n", step.name, (*step.check).*said);
        }
    }
    return text + more_text(number, limit, "steps");
}

}  // namespace

std::string unread_text(const RunRecord& record) {
    constexpr std::size_t kShown = 8;
    std::string text;
    for (const std::string& set : record.unread_sets) {
        text += fmt::format("{}: nothing in this run uses this param\n", set);
    }
    const auto& names = record.unread_inputs;
    if (names.empty()) {
        return text;
    }
    const std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())));
    return text +
           fmt::format("{}: the run does not read {}{}\n", record.inputs, fmt::join(first, ", "),
                       names.size() > kShown ? fmt::format(", … ({} in all)", names.size()) : "");
}

std::string title_text(const RunRecord& record, const TextStyle& style) {
    const MeshShape mesh = record.run.mesh.shape;
    const GridSize grid = record.arch.workers.compute;
    const std::string source = record.inputs.empty() ? "" : fmt::format(" from {}", record.inputs);
    return fmt::format(
               "{}: {}{}\n"
               "{} × {} devices {}, {} × {} cores each; {} host thread{}\n",
               painted(record.run.name, Tone::Heading, style), workload_text(record.pipeline),
               source, mesh.rows, mesh.columns, record.arch.name, grid.columns, grid.rows,
               record.num_threads, record.num_threads == 1 ? "" : "s") +
           unread_text(record);
}

std::string steps_text(const RunRecord& record, const TextStyle& style) {
    const auto column = [&](std::string heading, Align align, std::uint32_t rank,
                            const CellOf& cell_of) {
        return step_column(record, std::move(heading), align, rank, cell_of);
    };
    using Step = const StepRecord&;
    std::vector<Column> columns{
        column("step", Align::Left, 9, [](Step s) { return Cell{s.name}; }),
        column("op", Align::Left, 3, [](Step s) { return Cell{s.op}; }),
        column("schedule", Align::Left, 4, [](Step s) { return Cell{s.schedule}; }),
        column("cores", Align::Right, 6, [](Step s) { return Cell{show_count(s.num_cores)}; }),
        column("tiles", Align::Right, 5,
               [](Step s) { return Cell{show_count(static_cast<double>(s.output_tiles))}; }),
        column("PCC", Align::Right, 8,
               [](Step s) { return check_cell(s, [](const auto& c) { return show_pcc(c.pcc); }); }),
        column("rel. error", Align::Right, 8,
               [](Step s) {
                   return check_cell(
                       s, [](const auto& c) { return show_error(c.max_relative_error); });
               }),
        column("host", Align::Right, 7, [](Step s) { return Cell{show_seconds(s.host_seconds)}; }),
        column("check", Align::Left, 9, check_word),
    };
    if (record.makespan) {
        columns.insert(columns.end() - 2, column("cycles", Align::Right, 8, cycles_cell));
    }
    return to_text(std::move(columns), style) + workspaces_text(record);
}

std::string parameters_text(const RunRecord& record, const TextStyle& style) {
    std::string text;
    for (const StepRecord& step : record.steps) {
        const std::string prefix = fmt::format("steps.{}.set.", step.name);
        std::vector<std::string> values;
        for (const config::ResolvedValue& value : record.resolved) {
            if (value.path.starts_with(prefix)) {
                values.push_back(value.path.substr(prefix.size()) + " " + value.text);
            }
        }
        text += values.empty() ? "" : wrapped(fmt::format("  {}  ", step.name), values, style);
    }
    return text.empty() ? "" : "  " + painted("parameters", Tone::Heading, style) + "\n" + text;
}

std::string drawn_text(std::span<const std::string> drawn, std::size_t limit) {
    if (drawn.empty()) {
        return "";
    }
    const std::size_t num_shown = std::min(limit, drawn.size());
    return fmt::format(
        "drawn, since no values are computed: {}{}; kernels choose by them",
        fmt::join(drawn.first(num_shown), ", "),
        num_shown == drawn.size() ? "" : fmt::format(" and {} more", drawn.size() - num_shown));
}

std::string notes_text(const RunRecord& record, std::size_t limit) {
    const std::string drawn = drawn_text(record.drawn, limit);
    return (drawn.empty() ? "" : "  " + drawn + "\n") + nans_text(record, limit) +
           findings_text(record.findings, limit);
}

std::string verdict_text(const RunRecord& record, const TextStyle& style, std::size_t limit) {
    const std::string time = show_seconds(record.host.total);
    const auto failed = failed_steps(record);
    std::string text = notes_text(record, limit) + check_lines(record, limit, &StepCheck::doubt);
    const std::string nan = nan_words(record);
    if (!failed.empty()) {
        return text + check_lines(record, limit, &StepCheck::failure) +
               painted("FAIL", Tone::Bad, style) +
               fmt::format("{} {} of {} steps checked: {}\n", nan, failed.size(),
                           num_checked(record), fmt::join(failed, ", "));
    }
    if (num_checked(record) == 0) {
        return text + painted("DONE", Tone::Heading, style) +
               fmt::format("{} {} step{} in {}, none checked ({})\n", nan, record.steps.size(),
                           record.steps.size() == 1 ? "" : "s", time,
                           record.maths == Maths::Off
                               ? "values are not computed"
                               : "verify.level is off, or no step has a reference");
    }
    const StepCheck worst = worst_of(record);
    return text + painted("PASS", Tone::Good, style) +
           fmt::format("{} {} of {} steps checked, PCC ≥ {}, relative error ≤ {}, {}\n", nan,
                       num_checked(record), record.steps.size(), show_pcc(worst.pcc),
                       show_error(worst.max_relative_error), time);
}

std::string to_text(const RunRecord& record, const TextStyle& style) {
    return title_text(record, style) + "\n" + steps_text(record, style) + "\n" +
           cores_text(record, style) + "\n" + verdict_text(record, style);
}

}  // namespace tessera::report
