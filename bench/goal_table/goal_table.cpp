// SPDX-License-Identifier: Apache-2.0
#include "bench/goal_table/goal_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "runtime/report/text_table.hpp"
#include "tessera/errors.hpp"

namespace tessera::bench {
namespace {

using report::Align;
using report::Cell;
using report::Tone;

struct Repetitions {
    Goal goal;
    std::vector<double> ratios;
};

// Google Benchmark adds how it measured to the name; the goal is the same.
std::string goal_name(const std::string& run_name) {
    static const std::regex kHow(
        "/(real_time|process_time|manual_time|(iterations|repeats|min_time|min_warmup_time|threads)"
        ":[^/]*)");
    return std::regex_replace(run_name, kHow, "");
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

bool is_single_run(const nlohmann::json& row) {
    return row.value("run_type", "iteration") == "iteration";
}

bool has_failed(const nlohmann::json& row) {
    return row.value("error_occurred", false);
}

void add_row(std::vector<Repetitions>& all, const nlohmann::json& row) {
    const std::string name = goal_name(row.value("run_name", row.at("name").get<std::string>()));
    auto it = std::ranges::find_if(all, [&](const auto& known) { return known.goal.name == name; });
    if (it == all.end()) {
        it = all.insert(it, Repetitions{{.name = name}, {}});
    }
    if (has_failed(row)) {
        it->goal.failure = row.value("error_message", "failed");
        return;
    }
    it->goal.wanted = row.at("goal").get<double>();
    it->goal.bound = row.value("goal_is_upper", 0.0) != 0 ? Bound::AtMost : Bound::AtLeast;
    it->ratios.push_back(row.at("ratio").get<double>());
}

Cell cell_of_outcome(const Goal& goal) {
    if (!goal.failure.empty()) {
        return {"failed: " + goal.failure, Tone::Bad};
    }
    return goal.is_met() ? Cell{"met", Tone::Good} : Cell{"not met", Tone::Bad};
}

const char* sign_of(Bound bound) {
    return bound == Bound::AtLeast ? "≥" : "≤";
}

}  // namespace

bool Goal::is_met() const noexcept {
    return failure.empty() && (bound == Bound::AtLeast ? reached >= wanted : reached <= wanted);
}

std::vector<Goal> goals_of(const nlohmann::json& run) {
    require(run.is_object() && run.contains("benchmarks"),
            "this is no output of a bench: it has no list \"benchmarks\"");
    std::vector<Repetitions> all;
    for (const nlohmann::json& row : run.at("benchmarks")) {
        const bool is_goal = row.contains("ratio") && row.contains("goal");
        if (is_single_run(row) && (is_goal || has_failed(row))) {
            add_row(all, row);
        }
    }
    std::vector<Goal> goals;
    for (Repetitions& each : all) {
        each.goal.reached = each.ratios.empty() ? 0 : median(each.ratios);
        goals.push_back(std::move(each.goal));
    }
    return goals;
}

std::string machine_of(const nlohmann::json& run, const std::string& processor) {
    const nlohmann::json context = run.value("context", nlohmann::json::object());
    return fmt::format("{}, {} CPUs", processor, context.value("num_cpus", 0));
}

std::string to_text(std::span<const Goal> goals, const std::string& machine) {
    std::vector<report::Column> columns{{"goal", Align::Left, 1, {}},
                                        {"reached", Align::Right, 1, {}},
                                        {"wanted", Align::Right, 1, {}},
                                        {"", Align::Left, 1, {}}};
    for (const Goal& goal : goals) {
        const bool is_known = goal.failure.empty();
        columns[0].cells.push_back({goal.name});
        columns[1].cells.push_back({is_known ? fmt::format("{:.3g}", goal.reached) : "–"});
        columns[2].cells.push_back(
            {is_known ? fmt::format("{} {:g}", sign_of(goal.bound), goal.wanted) : "–"});
        columns[3].cells.push_back(cell_of_outcome(goal));
    }
    const auto num_met = std::ranges::count_if(goals, &Goal::is_met);
    return fmt::format("{}\n  {} of {} goals met on {}\n", report::to_text(std::move(columns), {}),
                       num_met, goals.size(), machine);
}

nlohmann::json to_json(std::span<const Goal> goals, const std::string& machine) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Goal& goal : goals) {
        nlohmann::json row{{"goal", goal.name}, {"met", goal.is_met()}};
        if (goal.failure.empty()) {
            row["reached"] = goal.reached;
            row["wanted"] = goal.wanted;
            row["bound"] = goal.bound == Bound::AtLeast ? "at_least" : "at_most";
        } else {
            row["failure"] = goal.failure;
        }
        rows.push_back(std::move(row));
    }
    return {{"machine", machine}, {"goals", std::move(rows)}};
}

}  // namespace tessera::bench
