// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/accuracy/models.hpp"
#include "bench/accuracy/parameters.hpp"
#include "bench/accuracy/programs/families.hpp"
#include "bench/accuracy/spelling.hpp"
#include "runtime/ranks/work_queue.hpp"
#include "tessera/errors.hpp"

namespace tessera::score {
namespace {

const Family& family_of(const std::string& group) {
    const auto families = all_families();
    const auto family = std::ranges::find(families, group, &Family::group);
    expressible(family != families.end(), "no program stands for the group {}", group);
    return *family;
}

Prediction predict(const Row& row, Models& models) {
    const Family& family = family_of(row.group);
    const Parameters parameters(respelled(row.parameters));
    const Model& model = models.of(row.arch, parameters.text_or("board", ""));
    const Prediction prediction = family.predict(row, parameters, model);
    ensure(std::isfinite(prediction.expected) && prediction.expected > 0,
           "row {} is predicted to take {}", row.id, prediction.expected);
    return prediction;
}

RowScore score(const Row& row, Models& models) {
    const auto begin = std::chrono::steady_clock::now();
    RowScore result;
    try {
        result.prediction = predict(row, models);
    } catch (const NotExpressible& refusal) {
        result.reason = refusal.what();
    } catch (const ConfigError&) {
        throw;  // error in the arch file, not in the row
    } catch (const Error& error) {
        result.reason = fmt::format("failed: {}", error.what());
    }
    result.host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

/// Returns a score as text, from which score_from_text() returns the same numbers.
std::string to_text(const RowScore& score) {
    nlohmann::json json{{"reason", score.reason}, {"seconds", score.host_seconds}};
    if (const auto& figure = score.prediction) {
        json["figures"] = {figure->low, figure->expected, figure->high, figure->model_error};
        json["samples"] = {figure->samples.a, figure->samples.b};
        json["regime"] =
            figure->regime ? nlohmann::json(static_cast<int>(*figure->regime)) : nlohmann::json();
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

RowScore score_from_text(const std::string& text) {
    const auto json = nlohmann::json::parse(text);
    RowScore score{
        .prediction = {}, .reason = json.at("reason"), .host_seconds = json.at("seconds")};
    if (const auto figures = json.find("figures"); figures != json.end()) {
        Prediction& figure = score.prediction.emplace();
        figure.low = figures->at(0);
        figure.expected = figures->at(1);
        figure.high = figures->at(2);
        figure.model_error = figures->at(3);
        figure.samples = {json.at("samples").at(0).get<std::vector<double>>(),
                          json.at("samples").at(1).get<std::vector<double>>()};
        if (const auto& regime = json.at("regime"); !regime.is_null()) {
            figure.regime = static_cast<timing::Regime>(regime.get<int>());
        }
    }
    return score;
}

/// Text key of a row whose error is in an arch file; such an error ends the score.
constexpr const char* kError = "error";

void score_all(ranks::WorkQueue& queue, std::span<const Row> rows, Models& models) {
    while (const auto row = queue.take()) {
        try {
            queue.give(*row, to_text(score(rows[*row], models)));
        } catch (const Error& error) {
            queue.stop();
            queue.give(*row, nlohmann::json{{kError, error.what()}}.dump());
        }
    }
}

}  // namespace

std::vector<RowScore> score_rows(std::span<const Row> rows, Models& models,
                                 const ScoreOptions& options) {
    ranks::WorkQueue queue(options.link, rows.size(), options.on_done);
    ranks::run_on_threads(options.threads, [&] { score_all(queue, rows, models); });
    const auto texts = queue.finish();
    for (const std::optional<std::string>& text : texts) {
        if (text) {
            const auto json = nlohmann::json::parse(*text);
            require(!json.contains(kError), "{}", json.value(kError, ""));
        }
    }
    std::vector<RowScore> scores;
    for (const std::optional<std::string>& text : texts) {
        ensure(text.has_value(), "row {} has no score", scores.size());
        scores.push_back(score_from_text(*text));
    }
    return scores;
}

std::vector<Unscored> unscored_rows(std::span<const RowScore> scores) {
    std::map<std::string, std::vector<std::size_t>> by_reason;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        if (!scores[i].prediction) {
            by_reason[scores[i].reason].push_back(i);
        }
    }
    std::vector<Unscored> unscored;
    for (auto& [reason, rows] : by_reason) {
        unscored.push_back({reason, std::move(rows)});
    }
    std::ranges::stable_sort(unscored, std::ranges::greater(),
                             [](const Unscored& some) { return some.rows.size(); });
    return unscored;
}

}  // namespace tessera::score
