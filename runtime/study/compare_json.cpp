// SPDX-License-Identifier: Apache-2.0
#include "runtime/study/compare_json.hpp"

#include <nlohmann/json.hpp>

namespace tessera::compare {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Nanoseconds& time) {
    return {{"low", time.low}, {"expected", time.expected}, {"high", time.high}};
}

Json json_of(const std::optional<Nanoseconds>& time) {
    return time ? json_of(*time) : Json(nullptr);
}

Json json_of(const std::vector<Contribution>& parts) {
    Json array = Json::array();
    for (const Contribution& part : parts) {
        array.push_back({{"name", part.name}, {"a", part.a}, {"b", part.b}});
    }
    return array;
}

Json json_of(const StepComparison& step) {
    Json flips = Json::array();
    for (const ConstantEnd& flip : step.flips) {
        flips.push_back(
            {{"key", flip.key}, {"value", flip.value}, {"difference", flip.difference}});
    }
    return {{"name", step.name},
            {"a", json_of(step.a)},
            {"b", json_of(step.b)},
            {"difference", json_of(step.difference)},
            {"verdict", name_of(step.verdict)},
            {"activities", json_of(step.activities)},
            {"lines", json_of(step.lines)},
            {"resources", json_of(step.resources)},
            {"flips", flips}};
}

}  // namespace

Json to_json(const Comparison& comparison) {
    Json steps = Json::array();
    for (const StepComparison& step : comparison.steps) {
        steps.push_back(json_of(step));
    }
    return {{"schema", "tessera.compare"},
            {"version", kCompareSchemaVersion},
            {"a", comparison.a},
            {"b", comparison.b},
            {"constants_moved", comparison.num_constants},
            {"run", json_of(comparison.run)},
            {"steps", steps}};
}

}  // namespace tessera::compare
