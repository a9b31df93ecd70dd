// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "runtime/study/advice.hpp"

namespace tessera::advise {
namespace {

using Json = nlohmann::ordered_json;

double nanoseconds(const Advice& advice, Millicycles time) {
    return static_cast<double>(time) * 1e6 / advice.clock.value;
}

/// Returns an array with what `row` returns for each element.
template <class Range, class Row>
Json array_of(const Range& range, Row row) {
    Json array = Json::array();
    for (const auto& one : range) {
        array.push_back(row(one));
    }
    return array;
}

Json row_of(const StepGain& step) {
    return {{"name", step.name},
            {"gain", step.gain},
            {"place", step.place},
            {"verdict_text", text_of(step.verdict)}};
}

Json row_of(const Finding& finding, double makespan_ns) {
    // The share as a number for scripts, the grade as a word, and the text that the terminal shows.
    return {{"rule", finding.rule.name},
            {"kind", finding.rule.kind == RuleKind::Change ? "change" : "bound"},
            {"family", finding.rule.family},
            {"advice", finding.rule.advice},
            {"note", finding.rule.note},
            {"makespan_ns", makespan_ns},
            {"gain", finding.gain},
            {"share", finding.verdict.share},
            {"verdict", name_of(finding.verdict.grade)},
            {"verdict_text", text_of(finding.verdict)},
            {"steps", array_of(finding.steps, [](const StepGain& step) { return row_of(step); })},
            {"refusal", finding.refusal}};
}

Json row_of(const ConstantEffect& effect) {
    return {{"key", effect.key},
            {"low_value", effect.low_value},
            {"high_value", effect.high_value},
            {"at_low", effect.at_low},
            {"at_high", effect.at_high}};
}

Json row_of(const LinkLoad& load) {
    // Routers are named in NoC coordinates, as in the text.
    return {{"step", load.step},
            {"busiest", load.busiest},
            {"mean", load.mean},
            {"noc", load.link.noc},
            {"x", load.link.node.x},
            {"y", load.link.node.y},
            {"direction", load.link.direction}};
}

Json row_of(const LineBanks& line) {
    return {{"line", line.line},
            {"transfers", line.transfers},
            {"used", line.used},
            {"stride", line.stride}};
}

Json row_of(const BankCamping& step) {
    return {{"step", step.step},
            {"banks", step.num_banks},
            {"used", step.used},
            {"even", step.even},
            {"stride", step.stride},
            {"map", step.map},
            {"lines", array_of(step.lines, [](const LineBanks& line) { return row_of(line); })}};
}

}  // namespace

nlohmann::ordered_json to_json(const Advice& advice) {
    const auto plain = [](const auto& one) { return row_of(one); };
    const auto timed = [&](const Finding& finding) {
        return row_of(finding, nanoseconds(advice, finding.makespan));
    };
    const auto over_bound = [&](const StepOverBound& step) {
        return Json{{"step", step.name},
                    {"time_ns", nanoseconds(advice, step.time)},
                    {"bound_ns", nanoseconds(advice, step.bound.time)},
                    {"ratio", report::over_bound(step.time, step.bound)},
                    {"by", step.bound.by}};
    };
    return {{"schema", "tessera.advice"},
            {"version", 1},
            {"run", advice.run},
            {"makespan_ns", nanoseconds(advice, advice.makespan)},
            {"over_bound", array_of(advice.over_bound, over_bound)},
            {"findings", array_of(advice.findings, timed)},
            {"constants", array_of(advice.constants, plain)},
            {"banks", array_of(advice.banks, plain)},
            {"links", array_of(advice.links, plain)}};
}

}  // namespace tessera::advise
