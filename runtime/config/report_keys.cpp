// SPDX-License-Identifier: Apache-2.0
// Binds `report:` of a run file.
#include <fmt/format.h>

#include <algorithm>

#include "emu/base/fields/nearest.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "runtime/steps/name_pattern.hpp"

namespace tessera::config {
namespace {

/// Binds names with their patterns.
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

/// Returns a name of the file as a pattern: "gate_${l}" is "gate_*".
std::string pattern_of(std::string name) {
    for (std::size_t at = name.find("${"); at != name.npos; at = name.find("${")) {
        name.replace(at, std::min(name.find('}', at), name.size() - 1) + 1 - at, "*");
    }
    return name;
}

/// Adds names of a block of steps and of their launches, including those that `when` leaves out.
void add_step_names(const Node& steps, std::vector<std::string>& names) {
    for (const Entry& step : steps.entries) {
        add_step_names(entry(step.value, "steps"), names);
        names.push_back(pattern_of(step.key));
        if (const Node* launch = step.value.find("launch")) {
            names.push_back(pattern_of(launch->text));
        }
    }
}

/// Adds names of tensors that the steps of a block write; `out` is a list or a map.
void add_output_names(const Node& steps, std::vector<std::string>& names) {
    for (const Entry& step : steps.entries) {
        add_output_names(entry(step.value, "steps"), names);
        const Node& out = entry(step.value, "out");
        for (const Node& name : out.elements) {
            names.push_back(pattern_of(name.text));
        }
        for (const Entry& name : out.entries) {
            names.push_back(pattern_of(name.key));
        }
    }
}

/// Refuses patterns that fit no name. A part, such as moe.permuted, fits the step that it belongs to:
/// parts depend on parameters.
void check_patterns(const PipelineBinder& binder, const Node& groups, const std::string& path,
                    const std::vector<std::string>& names) {
    for (const Entry& group : groups.entries) {
        for (const Node& pattern : group.value.elements) {
            const auto fits = [&](const std::string& name) {
                return pipeline::patterns_overlap(pattern.text, name) ||
                       pipeline::patterns_overlap(pattern.text, name + ".*");
            };
            if (!std::ranges::any_of(names, fits)) {
                binder.mistake(pattern, path + "." + group.key,
                               fmt::format("nothing is named {}, {}", pattern.text,
                                           correction(pattern.text, names)));
            }
        }
    }
}

}  // namespace

void check_report_patterns(const PipelineBinder& binder, const Node& root) {
    std::vector<std::string> steps;
    add_step_names(entry(root, "steps"), steps);
    const Node& report = entry(root, "report");
    check_patterns(binder, entry(report, "stages"), "report.stages", steps);

    // Parts of a step, such as moe.permuted, are tensors, too.
    std::vector<std::string> tensors = std::move(steps);
    for (const Entry& tensor : entry(root, "tensors").entries) {
        tensors.push_back(pattern_of(tensor.key));
    }
    add_output_names(entry(root, "steps"), tensors);
    check_patterns(binder, entry(report, "memory"), "report.memory", tensors);
}

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
