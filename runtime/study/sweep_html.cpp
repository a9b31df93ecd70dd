// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "runtime/report/run_text.hpp"
#include "runtime/report/timing/html_page.hpp"
#include "runtime/report/timing/path_parts.hpp"
#include "runtime/study/sweep_files.hpp"
#include "runtime/study/sweep_result.hpp"
#include "runtime/study/sweep_text.hpp"

namespace tessera::sweep {

/// The page of runtime/study/html, embedded when Tessera is built.
extern const report::HtmlParts kSweepPage;

namespace {

using Json = nlohmann::ordered_json;

// Values that are not numbers are drawn as dots: a line between names would mean nothing.
Json key_json(const SweepResult& result, std::size_t key, const KeyEffect& effect) {
    return {{"key", result.keys[key]},
            {"label", result.labels[key]},
            {"is_number", effect.axis.kind == AxisKind::Numbers},
            {"values", effect.axis.values},
            {"groups", effect.num_groups},
            {"mean_effect", effect.mean},
            {"most_effect", effect.most},
            {"wins", effect.wins}};
}

// Times of steps are their shares of the run: steps overlap, and the sum of their lengths would
// exceed the run's time.
Json steps_json(const compare::RunFigures& run) {
    Json steps = Json::array();
    Millicycles between = run.time.expected;
    const auto add = [&](std::string_view name, Millicycles time) {
        steps.push_back(
            {{"name", name}, {"time", static_cast<double>(time) * 1e6 / run.clock.value}});
        between -= time;
    };
    for (const compare::StepFigures& step : run.steps) {
        add(step.name, step.of_run);
    }
    // The rest of the run is between launches, so that parts add up to the whole.
    if (between > 0) {
        add(report::kBetweenLaunches, between);
    }
    return steps;
}

Json point_json(const SweepResult& result, const Ranked& entry) {
    const PointResult& point = result.points[entry.point];
    return {{"rank", entry.rank},
            {"case", result.cases.at(point.case_index)},
            {"name", name_of(result, entry.point)},
            {"full_name", full_name_of(result, entry.point)},
            {"values", value_labels_of(result, entry.point)},
            {"low", entry.time.low},
            {"expected", entry.time.expected},
            {"high", entry.time.high},
            {"of_best", of_best_text(entry)},
            {"word", word_of(entry)},
            {"bound", entry.bound},
            {"steps", steps_json(*point.figures)}};
}

Json failures_json(const SweepResult& result) {
    Json failures = Json::array();
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        if (!result.points[i].figures) {
            failures.push_back(
                {{"name", full_name_of(result, i)}, {"failure", result.points[i].failure}});
        }
    }
    return failures;
}

/// Returns the data of the page; times in nanoseconds.
Json page_data(const SweepResult& result) {
    std::vector<std::string> lines = answers(result);
    if (result.is_interrupted) {
        lines.insert(lines.begin(), interrupted_text(result));
    }
    if (!result.drawn.empty()) {
        lines.push_back(report::drawn_text(result.drawn));
    }
    const std::vector<Ranked> ranked = ranking(result);
    // The page draws these data with the scripts of report.html, so that both look alike.
    const std::vector<KeyEffect> effects = effects_of(result, ranked);
    Json keys = Json::array();
    for (std::size_t key = 0; key < effects.size(); ++key) {
        keys.push_back(key_json(result, key, effects[key]));
    }
    Json points = Json::array();
    for (const Ranked& entry : ranked) {
        points.push_back(point_json(result, entry));
    }
    return {{"name", result.name},   {"question", result.question},
            {"answers", lines},      {"keys", keys},
            {"points", points},      {"failures", failures_json(result)},
            {"cases", result.cases}, {"rank_by", result.rank_by}};
}

}  // namespace

std::string to_html(const SweepResult& result) {
    return report::html_page(kSweepPage, page_data(result));
}

}  // namespace tessera::sweep
