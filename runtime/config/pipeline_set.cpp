// SPDX-License-Identifier: Apache-2.0
// The block `set:` of a run file, and `set:` of its steps: parameters of ops.
#include <fmt/format.h>

#include <algorithm>

#include "emu/base/fields/nearest.hpp"
#include "runtime/config/pipeline_binder.hpp"

namespace tessera::config {
namespace {

using ops::Op;

/// The step's own parameters over those of `set:` for its op, each value with its place. Keys that
/// the op does not have are refused where they stand, not in each step.
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
        overlay(merged, *own);
    }
    return merged;
}

}  // namespace

void bind_parameters(PipelineBinder& binder, const Node& step, const Node& defaults,
                     const std::string& path, const pipeline::Scope& names,
                     pipeline::PipelineStep& spec) {
    const ops::Parameters& parameters = spec.op->params;
    Node node = parameters_of(step, defaults, *spec.op);
    if (parameters.make == nullptr) {
        for (const Entry& entry : node.entries) {
            binder.binding.violations.add(entry.origin, path + ".set." + entry.key,
                                          "the op takes no parameters");
        }
        return;
    }
    const std::shared_ptr<void> bound = parameters.make();
    node = binder.evaluated(parameters.fields, node, bound.get(), path + ".set.", names);
    bind_fields(parameters.fields, node, bound.get(), path + ".set.", binder.binding);
    spec.parameters = bound;
}

void refuse_unknown_defaults(const PipelineBinder& binder, const Node& defaults) {
    const auto known = binder.op_names();
    for (const Entry& entry : defaults.entries) {
        if (binder.op(entry.key) == nullptr) {
            binder.binding.violations.add(
                entry.origin, "set." + entry.key,
                fmt::format("no op, did you mean {}?", "set." + nearest(entry.key, known)));
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
