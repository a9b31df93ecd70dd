// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/pipeline_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "emu/base/fields/nearest.hpp"
#include "ops/registry.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using pipeline::Scope;
using pipeline::show;

// Adds the names of the mesh and the device, which expressions may use.
void add_machine_names(const PipelineTarget& target, Scope& scope) {
    const auto whole = [&](const char* name, std::uint32_t value) {
        scope.set(name, std::int64_t{value});
    };
    whole("D", target.mesh.shape.num_devices());
    whole("mesh.rows", target.mesh.shape.rows);
    whole("mesh.columns", target.mesh.shape.columns);
    whole("grid.columns", target.arch.workers.compute.columns);
    whole("grid.rows", target.arch.workers.compute.rows);
}

/// Refuses an override of a name that the file does not have. A new param would be used by nothing.
void refuse_new(const PipelineBinder& binder, const Node& map, const std::string& path) {
    std::vector<std::string> known;
    for (const Entry& entry : map.entries) {
        if (entry.origin.kind != OriginKind::Override) {
            known.push_back(entry.key);
        }
    }
    for (const Entry& entry : map.entries) {
        if (entry.origin.kind == OriginKind::Override) {
            binder.binding.violations.add(
                entry.origin, path + entry.key,
                known.empty() ? "the file has none"
                              : fmt::format("unknown key, {}", correction(entry.key, known, path)));
        }
    }
}

/// Binds `params:` in the order of the file: a param may use those above it.
void bind_params(PipelineBinder& binder, const Node& params) {
    if (params.kind != NodeKind::Map && params.kind != NodeKind::Null) {
        binder.mistake(params, "params", "expected a map, found " + describe(params));
        return;
    }
    refuse_new(binder, params, "params.");
    for (const Entry& param : params.entries) {
        binder.scope.announce(param.key);
    }
    for (const Entry& param : params.entries) {
        if (param.origin.kind != OriginKind::Override) {
            bind_param(binder, param);
        }
    }
}

/// Binds `seed:`, by default 1, so that two runs of one file have the same values.
void bind_seed(PipelineBinder& binder, const Node& node) {
    binder.spec.seed = 1;
    if (node.kind != NodeKind::Null) {
        // A plain number is parsed first: seeds have 64 bits, integers of expressions 63.
        auto parsed = Value<std::uint64_t>::parse(node);
        if (std::holds_alternative<Mistake>(parsed)) {  // an expression, or a mistake
            binder.guarded(node, "seed", [&] {
                parsed = Value<std::uint64_t>::parse(binder.evaluated(node, binder.scope));
            });
        }
        if (const auto* mistake = std::get_if<Mistake>(&parsed)) {
            if (!binder.binding.violations.has(mistake->origin, "seed")) {
                binder.binding.violations.add(mistake->origin, "seed", mistake->text);
            }
            return;
        }
        binder.spec.seed = std::get<std::uint64_t>(parsed);
    }
    const std::string seed = std::to_string(binder.spec.seed);
    binder.resolve(node, "seed", seed, seed);
}

/// Moves a step of a list into a map under its name.
void take_name(Node& step, std::vector<Entry>& named) {
    const Node* name = step.find("name");
    if (step.kind == NodeKind::Map && name == nullptr) {
        throw ConfigError(to_string(step.origin) +
                          ": steps: required key name is missing: {name: …, op: …}");
    }
    if (step.kind != NodeKind::Map || name->kind != NodeKind::Scalar) {
        throw ConfigError(to_string(step.origin) + ": steps: expected {name: …, op: …}, found " +
                          describe(step));
    }
    // Names become keys of paths: `--set steps.gate.set.k_block=8`.
    if (name->text.find('.') != std::string::npos) {
        throw ConfigError(
            fmt::format("{}: steps: invalid name '{}'; a dot separates the keys of a path",
                        to_string(name->origin), name->text));
    }
    if (name->text.empty()) {
        throw ConfigError(to_string(name->origin) + ": steps: the name of a step is empty");
    }
    const auto first = std::ranges::find(named, name->text, &Entry::key);
    if (first != named.end()) {
        throw ConfigError(fmt::format("{}: steps: duplicate name {}, first at {}",
                                      to_string(name->origin), name->text,
                                      to_string(first->origin)));
    }
    Entry entry{name->text, name->origin, {}};
    std::erase_if(step.entries, [](const Entry& key) { return key.key == "name"; });
    entry.value = std::move(step);
    named.push_back(std::move(entry));
}

/// Binds the steps with their own ops, and the workspaces that hold their outputs.
void bind_all_steps(PipelineBinder& binder, const Node& root) {
    const Node* steps = root.find("steps");
    if (steps == nullptr || steps->kind != NodeKind::Map || steps->entries.empty()) {
        binder.mistake(steps == nullptr ? root : *steps, "steps",
                       steps == nullptr ? "required key is missing"
                                        : "expected a list of steps, found " +
                                              (steps->kind == NodeKind::Map ? "an empty one"
                                                                            : describe(*steps)));
        return;
    }
    refuse_new(binder, *steps, "steps.");
    binder.load_ops(entry(root, "ops"));
    bind_steps(binder, *steps, entry(root, "set"));
    if (binder.spec.steps.empty() && binder.binding.violations.empty()) {
        binder.rules.add(steps->origin, "steps",
                         "no step runs: when and repeat leave out all of them; allowed: 1 or more");
    }
    bind_workspaces(binder, entry(root, "workspaces"));
}

}  // namespace

std::vector<std::string_view> pipeline_keys() {
    std::vector<std::string_view> keys;
    keys.reserve(std::size(kPipelineKeys));
    for (const KeyRow& row : kPipelineKeys) {
        keys.push_back(row.key);
    }
    return keys;
}

void name_steps(Node& root) {
    Node* steps = root.find("steps");
    if (steps == nullptr) {
        return;
    }
    if (steps->kind == NodeKind::Sequence) {
        // Lists become maps, so that `--set` and `extends` find a step by its name and not by its
        // place.
        std::vector<Entry> named;
        for (Node& step : steps->elements) {
            take_name(step, named);
        }
        *steps = {.kind = NodeKind::Map, .origin = steps->origin, .entries = std::move(named)};
    }
    for (Entry& step : steps->entries) {
        name_steps(step.value);
    }
}

pipeline::PipelineSpec bind_pipeline(const Node& root, const PipelineTarget& target,
                                     Binding& binding, Violations& rules) {
    PipelineBinder binder{target, binding, rules};
    binder.spec.folder = target.file.parent_path().string();
    add_machine_names(target, binder.scope);
    bind_params(binder, entry(root, "params"));
    // All else is computed from params: a wrong param is reported alone, not with the hundred
    // mistakes that follow from it.
    if (!rules.empty()) {
        return std::move(binder.spec);
    }
    // The order of the blocks: groups before tensors, which split over them; tensors before steps,
    // which name them; workspaces after steps, whose outputs they hold.
    bind_seed(binder, entry(root, "seed"));
    bind_groups(binder, entry(root, "groups"));
    bind_report(binder, entry(root, "report"));
    refuse_new(binder, entry(root, "tensors"), "tensors.");
    bind_tensors(binder, entry(root, "tensors"));
    bind_all_steps(binder, root);
    // With a wrong key, messages of planning would be its consequences.
    if (binding.violations.empty()) {
        plan_steps(binder);
    }
    bind_output_names(binder, entry(root, "output_names"));
    bind_file_outputs(binder, entry(root, "outputs"), entry(root, "steps"));
    if (binding.violations.empty()) {
        check_overridden_defaults(binder, entry(root, "set"));
        check_report_patterns(binder, root);
    }
    if (binding.violations.empty() && rules.empty()) {
        check_stored_names(binder);
    }
    for (const pipeline::PipelineParam& param : binder.spec.params) {
        if (!binder.scope.is_read(param.name)) {
            binder.spec.unread_params.push_back(param.name);
        }
    }
    return std::move(binder.spec);
}

}  // namespace tessera::config
