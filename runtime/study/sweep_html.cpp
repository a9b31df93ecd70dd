// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/sweep_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "runtime/report/timing/html_parts.hpp"
#include "runtime/study/plot.hpp"
#include "runtime/study/sweep_text.hpp"

namespace tessera::sweep {
namespace {

/// Lines that a plot can show apart; beyond, only the best of each value is drawn.
constexpr std::size_t kMostLines = 10;

/// A value as number and unit; none if it does not begin with a number.
std::optional<std::pair<double, std::string>> number_of(const std::string& value) {
    double number = 0;
    const char* end = value.data() + value.size();
    const auto [rest, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc()) {
        return std::nullopt;
    }
    return std::pair(number, std::string(rest, end));
}

bool are_numbers(const std::vector<std::string>& values) {
    return std::ranges::all_of(values, [&](const std::string& value) {
        const auto number = number_of(value);
        const auto first = number_of(values.front());
        return number && first && number->second == first->second;
    });
}

/// Values of all keys but one: what a line of that key's plot has in common.
std::string rest_of(const SweepResult& result, std::size_t point, std::size_t key) {
    std::string rest;
    const std::vector<std::string>& values = result.points[point].values;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != key && !values[i].empty()) {
            rest += (rest.empty() ? "" : ", ") + result.labels[i] + " " + values[i];
        }
    }
    return rest;
}

std::string html_lines(const SweepResult& result, const std::vector<Ranked>& ranked,
                       std::size_t key) {
    LinePlot plot{result.labels[key], axis_of(result, key), {}};
    if (plot.values.size() < 2) {
        return "";
    }
    std::map<std::string, std::vector<LinePoint>> lines;
    std::vector<LinePoint> best;
    for (const Ranked& entry : ranked) {  // the best first
        const std::string& value = result.points[entry.point].values[key];
        const auto at = std::ranges::find(plot.values, value);
        if (at == plot.values.end()) {
            continue;
        }
        const LinePoint point{static_cast<std::size_t>(at - plot.values.begin()), entry.time};
        lines[rest_of(result, entry.point, key)].push_back(point);
        if (std::ranges::find(best, point.x, &LinePoint::x) == best.end()) {
            best.push_back(point);
        }
    }
    if (lines.size() > kMostLines) {
        lines = {{"best of the other keys", best}};
    }
    for (auto& [label, points] : lines) {
        std::ranges::sort(points, {}, &LinePoint::x);
        plot.lines.push_back({label, std::move(points)});
    }
    return fmt::format("<h3>{}</h3>{}", escaped(result.keys[key]), line_plot(plot));
}

std::string html_steps(const SweepResult& result, const std::vector<Ranked>& ranked) {
    StackedPlot plot;
    for (const Ranked& entry : ranked) {
        for (const compare::StepFigures& step : result.points[entry.point].figures->steps) {
            if (std::ranges::find(plot.names, step.name) == plot.names.end()) {
                plot.names.push_back(step.name);
            }
        }
    }
    for (const Ranked& entry : ranked) {
        const compare::RunFigures& run = *result.points[entry.point].figures;
        StackedBar bar{full_name_of(result, entry.point), std::vector<double>(plot.names.size())};
        for (const compare::StepFigures& step : run.steps) {
            const auto at = std::ranges::find(plot.names, step.name) - plot.names.begin();
            bar.parts[static_cast<std::size_t>(at)] +=
                static_cast<double>(step.time.expected) * 1e6 / run.clock.value;
        }
        plot.bars.push_back(std::move(bar));
    }
    return stacked_plot(plot);
}

std::string html_bars(const SweepResult& result, const std::vector<Ranked>& ranked) {
    std::string text;
    std::vector<Bar> bars;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        bars.push_back({name_of(result, ranked[i].point), ranked[i].time});
        if (i + 1 == ranked.size() || ranked[i + 1].rank == 1) {
            const std::string& given = result.cases.at(result.points[ranked[i].point].case_index);
            text += (given.empty() ? "" : "<h3>" + escaped(given) + "</h3>") + bar_plot(bars);
            bars.clear();
        }
    }
    return text;
}

std::string cell(const std::string& text, const char* kind = "td") {
    return fmt::format("<{0}>{1}</{0}>", kind, escaped(text));
}

std::string html_table(const SweepResult& result, const std::vector<Ranked>& ranked) {
    std::string text = "<table><thead><tr>" + cell("rank", "th");
    for (const std::string& key : result.keys) {
        text += cell(key, "th");
    }
    for (const char* head : {"us", "low", "high", "of best", "slower", "bound by"}) {
        text += cell(head, "th");
    }
    text += "</tr></thead><tbody>";
    for (const Ranked& entry : ranked) {
        text += "<tr>" + cell(std::to_string(entry.rank));
        for (const std::string& value : result.points[entry.point].values) {
            text += cell(value);
        }
        for (const double time : {entry.time.expected, entry.time.low, entry.time.high}) {
            text += cell(fmt::format("{:.3f}", time / 1000));
        }
        text += cell(fmt::format("{:.2f}", entry.of_best)) + cell(word_of(entry)) +
                cell(entry.bound) + "</tr>";
    }
    return text + "</tbody></table>";
}

std::string html_failures(const SweepResult& result) {
    std::string rows;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        if (!result.points[i].figures) {
            rows +=
                "<tr>" + cell(full_name_of(result, i)) + cell(result.points[i].failure) + "</tr>";
        }
    }
    return rows.empty() ? "" : "<table><tbody>" + rows + "</tbody></table>";
}

std::string html_answer(const SweepResult& result) {
    std::string text;
    for (const std::string& line : answers(result)) {
        text += "<p>" + escaped(line) + "</p>";
    }
    return text;
}

std::string section(const char* heading, const std::string& inside) {
    return inside.empty() ? "" : fmt::format("<section><h2>{}</h2>{}</section>\n", heading, inside);
}

}  // namespace

std::vector<std::string> axis_of(const SweepResult& result, std::size_t key) {
    std::vector<std::string> values;
    for (const PointResult& point : result.points) {
        const std::string& value = point.values[key];
        if (!value.empty() && std::ranges::find(values, value) == values.end()) {
            values.push_back(value);
        }
    }
    if (!values.empty() && are_numbers(values)) {
        std::ranges::stable_sort(values, {},
                                 [](const std::string& value) { return number_of(value)->first; });
    }
    return values;
}

std::string to_html(const SweepResult& result) {
    const std::vector<Ranked> ranked = ranking(result);
    std::string over_keys;
    for (std::size_t key = 0; key < result.keys.size(); ++key) {
        over_keys += html_lines(result, ranked, key);
    }
    return fmt::format(
               "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<title>{0}</title>\n<style>\n{1}\nsvg {{ max-width: none; }}\nsvg text {{ "
               "font-size: 12px; fill: "
               "var(--ink); }}\n</style></head>\n<body>\n<header class=\"bar\"><div "
               "class=\"name\"><h1>{0}</h1><p>{2}</p></div></header>\n<main>\n",
               escaped(result.name), report::kHtmlStyles, escaped(result.question)) +
           section("Answer", html_answer(result)) +
           section(
               "Points",
               fmt::format("<p class=\"hint\">Expected time, and from low to high within the "
                           "ranges of the constants.{}</p>",
                           result.num_case_keys == 0 ? "" : " Each case has a scale of its own.") +
                   html_bars(result, ranked)) +
           section("Time over each key", over_keys) +
           section("Time by step", html_steps(result, ranked)) +
           section("Ranking", "<div class=\"scroll\">" + html_table(result, ranked) + "</div>") +
           section("Points without a time", html_failures(result)) + "</main></body></html>\n";
}

}  // namespace tessera::sweep
