// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "runtime/report/number_text.hpp"
#include "runtime/report/text_table.hpp"
#include "runtime/report/timing/html_page.hpp"

namespace tessera::compare {

/// The page of runtime/study/html, embedded when Tessera is built.
extern const report::HtmlParts kComparePage;

namespace {

using report::Align;
using report::Cell;
using report::Column;
using report::TextStyle;
using report::Tone;

constexpr int kSchemaVersion = 1;
constexpr const char* kNoTime = "–";

std::string us(double nanoseconds) {
    return report::show_microseconds(nanoseconds);
}

std::string of_a(const StepComparison& step, double difference) {
    return step.a && step.b && step.a->expected > 0
               ? report::show_change(difference / step.a->expected)
               : kNoTime;
}

std::string runs_text(const AgainstBaseline& runs, const TextStyle& style) {
    std::vector<Column> columns{{"run", Align::Left, 9, {}},       {"", Align::Left, 8, {}},
                                {"us", Align::Right, 9, {}},       {"of A", Align::Right, 9, {}},
                                {"interval", Align::Right, 5, {}}, {"verdict", Align::Left, 9, {}}};
    const auto add = [&](std::size_t run, const std::vector<Cell>& cells) {
        columns[0].cells.push_back({letter_of(run)});
        columns[1].cells.push_back({runs.runs[run]});
        for (std::size_t i = 0; i < cells.size(); ++i) {
            columns[i + 2].cells.push_back(cells[i]);
        }
    };
    const auto& baseline = runs.others.front().run.a;
    // The first run is the baseline, as in the rest of compare.
    add(0, {{baseline ? us(baseline->expected) : kNoTime}, {""}, {""}, {"baseline"}});
    for (std::size_t i = 0; i < runs.others.size(); ++i) {
        const StepComparison& run = runs.others[i].run;
        add(i + 1, {{run.b ? us(run.b->expected) : kNoTime},
                    {of_a(run, run.difference.expected)},
                    {of_a(run, run.difference.low) + " … " + of_a(run, run.difference.high)},
                    {text_of(run.verdict), tone_of(run.verdict)}});
    }
    return to_text(std::move(columns), style);
}

/// Returns the time of a step in a run; "–" if the run does not have the step.
std::string step_time(const Comparison& comparison, const std::string& step, bool is_baseline) {
    const auto found = std::ranges::find(comparison.steps, step, &StepComparison::name);
    if (found == comparison.steps.end()) {
        return kNoTime;
    }
    const auto& time = is_baseline ? found->a : found->b;
    return time ? us(time->expected) : kNoTime;
}

std::string steps_text(const AgainstBaseline& runs, const TextStyle& style) {
    // Runs may lack steps of others, so that the table has each name once, in the order of the
    // runs.
    std::vector<std::string> steps;
    for (const Comparison& comparison : runs.others) {
        for (const StepComparison& step : comparison.steps) {
            if (std::ranges::find(steps, step.name) == steps.end()) {
                steps.push_back(step.name);
            }
        }
    }
    std::vector<Column> columns{{"step, us", Align::Left, 9, {}}};
    for (std::size_t run = 0; run < runs.runs.size(); ++run) {
        columns.push_back({letter_of(run), Align::Right, 8, {}});
    }
    for (const std::string& step : steps) {
        columns[0].cells.push_back({step});
        columns[1].cells.push_back({step_time(runs.others.front(), step, true)});
        for (std::size_t i = 0; i < runs.others.size(); ++i) {
            columns[i + 2].cells.push_back({step_time(runs.others[i], step, false)});
        }
    }
    return to_text(std::move(columns), style);
}

}  // namespace

// Letters as in compare's A and B; numbers after Z.
std::string letter_of(std::size_t run) {
    constexpr std::size_t kLetters = 26;
    return run < kLetters ? std::string(1, static_cast<char>('A' + run)) : std::to_string(run + 1);
}

std::string to_text(const AgainstBaseline& runs, const TextStyle& style) {
    return runs_text(runs, style) + "\n" + steps_text(runs, style);
}

nlohmann::ordered_json to_json(const AgainstBaseline& runs) {
    auto comparisons = nlohmann::ordered_json::array();
    for (const Comparison& comparison : runs.others) {
        comparisons.push_back(to_json(comparison));
    }
    return {{"schema", "tessera.baseline"},
            {"version", kSchemaVersion},
            {"runs", runs.runs},
            {"comparisons", std::move(comparisons)}};
}

std::string to_html(const AgainstBaseline& runs) {
    nlohmann::ordered_json data = to_json(runs);
    data["name"] = fmt::format("{} against {}", runs.runs.size() == 2 ? runs.runs.back() : "others",
                               runs.runs.front());
    return report::html_page(kComparePage, data, report::PageData::Plain);
}

}  // namespace tessera::compare
