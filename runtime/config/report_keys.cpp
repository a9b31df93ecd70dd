// SPDX-License-Identifier: Apache-2.0
// Binds `report:` of a run file.
#include "runtime/config/pipeline_binder.hpp"

namespace tessera::config {
namespace {

/// Binds names with their patterns. Whether a pattern matches anything is not checked: steps depend
/// on `when` conditions.
std::vector<pipeline::NamedPatterns> bind_patterns(PipelineBinder& binder, const Node& report,
                                                   const std::string& key) {
    std::vector<pipeline::NamedPatterns> named;
    const Node* node = report.find(key);
    if (node == nullptr) {
        return named;
    }
    if (node->kind != NodeKind::Map) {
        binder.mistake(*node, "report." + key,
                       "expected {name: [pattern, …]}, found " + describe(*node));
        return named;
    }
    for (const Entry& entry : node->entries) {
        auto& patterns = named.emplace_back(pipeline::NamedPatterns{entry.key, {}}).patterns;
        for (const Node& pattern : entry.value.elements) {
            patterns.push_back(pattern.text);
        }
        if (patterns.empty()) {
            binder.mistake(entry.value, "report." + key + "." + entry.key,
                           "expected a list of patterns, found " + describe(entry.value));
        }
    }
    return named;
}

}  // namespace

void bind_report(PipelineBinder& binder, const Node& report) {
    if (report.kind == NodeKind::Null) {
        return;
    }
    if (report.kind != NodeKind::Map) {
        binder.mistake(report, "report",
                       "expected {tokens, stages, memory}, found " + describe(report));
        return;
    }
    binder.refuse_unknown(report, "report.", kReportKeys);
    // Reports show tokens a second, for which they need the tokens of the run.
    if (const Node* tokens = report.find("tokens")) {
        binder.guarded(*tokens, "report.tokens", [&] {
            binder.spec.report.tokens = evaluate_count(tokens->text, binder.scope);
        });
    }
    // A layer has sixty steps; stages sum them up as attention, dispatch, experts and combine.
    binder.spec.report.stages = bind_patterns(binder, report, "stages");
    binder.spec.report.memory = bind_patterns(binder, report, "memory");
}

}  // namespace tessera::config
