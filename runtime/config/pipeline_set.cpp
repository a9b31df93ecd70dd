// SPDX-License-Identifier: Apache-2.0
// Binds parameters of ops: the block `set:` of a run file, and `set:` of its steps.
#include <fmt/format.h>

#include <algorithm>

#include "emu/base/fields/nearest.hpp"
#include "runtime/config/pipeline_binder.hpp"

namespace tessera::config {
namespace {

using ops::Op;

/// Returns the step's own parameters merged over `set:` for its op, each value with its origin.
/// refuse_unknown_defaults() reports unknown keys of `set:` once, not for each step.
Node parameters_of(const Node& step, const Node& defaults, const Op& op) {
    Node merged{.kind = NodeKind::Map, .origin = step.origin};
    if (const Node* common = defaults.find(op.spec.name)) {
        for (const Entry& entry : common->entries) {
            if (std::ranges::find(op.params.fields, entry.key, &Field::key) !=
                op.params.fields.end()) {
                merged.entries.push_back(entry);
            }
        }
    }
    if (const Node* own = step.find("set")) {
        if (own->kind != NodeKind::Map) {
            return *own;
        }
        // The own value of a step wins over `set:` of the file.
        overlay(merged, *own);
    }
    return merged;
}

/// Records which values of the command line reach the step. A value that reaches no step changed
/// nothing, and a user who swept it saw equal times without a reason.
void record_overridden(PipelineBinder& binder, const Node& own, const Node& defaults, const Op& op,
                       const std::string& path) {
    const Node* common = defaults.find(op.spec.name);
    for (const Entry& entry : common == nullptr ? std::vector<Entry>() : common->entries) {
        if (entry.value.origin.kind != OriginKind::Override) {
            continue;
        }
        auto& use = binder.overridden_defaults[fmt::format("set.{}.{}", op.spec.name, entry.key)];
        use.origin = entry.value.origin;
        const Node* before = own.find(entry.key);
        use.is_used = use.is_used || before == nullptr;
        if (before != nullptr && use.own.empty()) {
            const bool is_written = before->origin.kind != OriginKind::Default;
            use.own = is_written ? fmt::format("set {}.set.{} instead ({})", path, entry.key,
                                               to_string(before->origin))
                                 : fmt::format("{} is part of another op, which sets {} itself",
                                               path, entry.key);
        }
    }
}

}  // namespace

void check_overridden_defaults(PipelineBinder& binder, const Node& defaults) {
    for (const Entry& op : defaults.entries) {
        for (const Entry& entry : op.value.entries) {
            const std::string path = fmt::format("set.{}.{}", op.key, entry.key);
            // A file may have values for ops of some of its forms only; a user names one to use it.
            if (entry.value.origin.kind == OriginKind::Override &&
                !binder.overridden_defaults.contains(path)) {
                binder.rules.add(
                    entry.value.origin, path,
                    fmt::format("has no effect: no step of this run has op {}", op.key));
            }
        }
    }
    for (const auto& [path, use] : binder.overridden_defaults) {
        if (!use.is_used) {
            binder.rules.add(use.origin, path,
                             "has no effect: every step of the op has its own value; " + use.own);
        }
    }
}

void bind_parameters(PipelineBinder& binder, const Node& step, const Node& defaults,
                     const std::string& path, const pipeline::Scope& names,
                     pipeline::PipelineStep& spec) {
    const ops::Parameters& parameters = spec.op->params;
    Node node = parameters_of(step, defaults, *spec.op);
    record_overridden(binder, entry(step, "set"), defaults, *spec.op, path);
    // An op without parameters has no struct to bind to.
    if (parameters.make == nullptr) {
        for (const Entry& entry : node.entries) {
            binder.binding.violations.add(entry.origin, path + ".set." + entry.key,
                                          "the op takes no parameters");
        }
        return;
    }
    spec.parameters = parameters.make();
    // Expressions are replaced first: the rows of an op take plain values.
    node =
        binder.evaluated(parameters.fields, node, spec.parameters.object(), path + ".set.", names);
    bind_fields(parameters.fields, node, spec.parameters.object(), path + ".set.", binder.binding);
}

void refuse_unknown_defaults(const PipelineBinder& binder, const Node& defaults) {
    const auto known = binder.op_names();
    for (const Entry& entry : defaults.entries) {
        if (binder.op(entry.key) == nullptr) {
            binder.binding.violations.add(
                entry.origin, "set." + entry.key,
                fmt::format("unknown op, {}", correction(entry.key, known, "set.")));
            continue;
        }
        if (entry.value.kind != NodeKind::Map) {
            binder.mistake(entry.value, "set." + entry.key,
                           "expected a map, found " + describe(entry.value));
            continue;
        }
        std::vector<std::string> keys;
        for (const Field& field : binder.op(entry.key)->params.fields) {
            keys.emplace_back(field.key);
        }
        if (keys.empty() && !entry.value.entries.empty()) {
            binder.mistake(entry.value, "set." + entry.key, "the op takes no parameters");
        } else {
            binder.refuse_unknown(entry.value, "set." + entry.key + ".", keys);
        }
    }
}

}  // namespace tessera::config
