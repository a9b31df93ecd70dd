// SPDX-License-Identifier: Apache-2.0
#include "bench/accuracy/score_json.hpp"

#include <nlohmann/json.hpp>

#include "bench/accuracy/alternatives.hpp"
#include "bench/accuracy/residues.hpp"
#include "runtime/report/timing/ensemble.hpp"

namespace tessera::score {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const Row& row, const RowScore& score) {
    Json json{{"id", row.id},         {"group", row.group}, {"arch", row.arch},
              {"metric", row.metric}, {"unit", row.unit},   {"measured", row.value}};
    if (const auto& figure = score.prediction) {
        json["predicted"] = figure->expected;
        json["low"] = figure->low;
        json["high"] = figure->high;
        if (!figure->samples.a.empty()) {
            json["median"] = report::percentile(figure->samples.a, 0.5);
        }
        json["regime"] = figure->regime ? Json(name_of(*figure->regime)) : Json(nullptr);
    } else {
        json["reason"] = score.reason;
    }
    json["host_seconds"] = score.host_seconds;
    return json;
}

Json alternatives_json(std::span<const Row> rows, std::span<const RowScore> scores) {
    Json json = Json::array();
    for (const AlternativeKind& kind : alternatives_of(rows, scores)) {
        json.push_back({{"kind", kind.name},
                        {"pairs", kind.num_pairs},
                        {"right", kind.num_right},
                        {"robust", kind.num_robust},
                        {"robust_right", kind.num_robust_right}});
    }
    return json;
}

Json residues_json(std::span<const Row> rows, std::span<const RowScore> scores) {
    Json json = Json::array();
    for (const RegimeResidue& residue : residues_of(rows, scores)) {
        json.push_back({{"arch", residue.arch},
                        {"regime", name_of(residue.regime)},
                        {"rows", residue.count},
                        {"bias", residue.bias},
                        {"nine_of_ten", residue.nine_of_ten},
                        {"stated", residue.stated}});
    }
    return json;
}

}  // namespace

nlohmann::ordered_json to_json(std::span<const Row> rows, std::span<const RowScore> scores) {
    Json list = Json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        list.push_back(row_json(rows[i], scores[i]));
    }
    return {{"schema", "tessera.score"},
            {"version", kScoreSchemaVersion},
            {"rows", std::move(list)},
            {"alternatives", alternatives_json(rows, scores)},
            {"residues", residues_json(rows, scores)}};
}

}  // namespace tessera::score
