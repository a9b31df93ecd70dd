// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/pipeline_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
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

/// Binds `join: groups` or `stack: groups`.
void bind_join(const PipelineBinder& binder, const Node& node, pipeline::FileOutput& output) {
    const Node* join = node.find("join");
    const Node* stack = node.find("stack");
    if (join != nullptr && stack != nullptr) {
        binder.mistake(*stack, "outputs.stack", "join and stack: only one of them is allowed");
    }
    const Node* groups = join == nullptr ? stack : join;
    if (groups == nullptr) {
        return;
    }
    output.join = join == nullptr ? pipeline::FileJoin::Stack : pipeline::FileJoin::Join;
    binder.guarded(*groups, join == nullptr ? "outputs.stack" : "outputs.join",
                   [&] { output.devices = binder.groups_called(groups->text).front(); });
}

/// Binds `packed`. Pages are not cut, so that it excludes `rows`.
void bind_packed(const PipelineBinder& binder, const Node& node, pipeline::FileOutput& output) {
    const Node* packed = node.find("packed");
    if (packed == nullptr) {
        return;
    }
    const auto parsed = Value<bool>::parse(*packed);
    if (const auto* mistake = std::get_if<Mistake>(&parsed)) {
        binder.mistake(*packed, "outputs.packed", mistake->text);
        return;
    }
    output.is_packed = std::get<bool>(parsed);
    if (output.is_packed && node.find("rows") != nullptr) {
        binder.mistake(entry(node, "rows"), "outputs.rows", "is given; allowed with packed: none");
    }
}

/// Binds `tensor`, or `{tensor: …, as: …, rows: …, when: …}`; returns nothing if `when` is false.
std::optional<pipeline::FileOutput> bind_file_output(const PipelineBinder& binder,
                                                     const Node& node) {
    if (node.kind != NodeKind::Map) {
        return binder.is_word(node, "outputs", "the name of a tensor, or {tensor: …}")
                   ? std::optional(pipeline::FileOutput{.tensor = node.text, .place = node.origin})
                   : std::nullopt;
    }
    binder.refuse_unknown(node, "outputs.", kFileOutputKeys);
    pipeline::FileOutput output{.tensor = entry(node, "tensor").text, .place = node.origin};
    if (const Node* as = node.find("as")) {
        binder.guarded(*as, "outputs.as", [&] { output.name = name_pattern(*as, binder.scope); });
    }
    // A param may choose the tensor, as in `in` and `out` of steps.
    binder.guarded(entry(node, "tensor"), "outputs.tensor",
                   [&] { output.tensor = pipeline::substitute(output.tensor, binder.scope); });
    if (output.tensor.empty()) {
        binder.mistake(node, "outputs.tensor", "required key is missing");
    }
    bool is_wanted = true;
    if (const Node* when = node.find("when")) {
        binder.guarded(*when, "outputs.when",
                       [&] { is_wanted = evaluate_condition(when->text, binder.scope); });
    }
    if (const Node* rows = node.find("rows"); rows != nullptr && is_wanted) {
        binder.guarded(*rows, "outputs.rows", [&] {
            output.rows = evaluate_count(rows->text, binder.scope);
            require(output.rows > 0,
                    "'{}' is 0; allowed: 1 to the tensor's rows; without the key, all", rows->text);
        });
    }
    bind_packed(binder, node, output);
    bind_join(binder, node, output);
    return is_wanted ? std::optional(std::move(output)) : std::nullopt;
}

/// Adds the outputs that the file names, including those of steps whose `when` is false.
void add_named_outputs(const Node& steps, std::vector<std::string>& names) {
    for (const Entry& step : steps.entries) {
        add_named_outputs(entry(step.value, "steps"), names);
        for (const Entry& output : entry(step.value, "out").entries) {
            names.push_back(output.key);
        }
        for (const Node& output : entry(step.value, "out").elements) {
            names.push_back(output.text);
        }
    }
}

/// Refuses a tensor that no choice of steps makes. A name with ${…} matches those that begin
/// like it, and a step with parts for tensors of its parts, which depend on its parameters.
void refuse_unknown_output(const PipelineBinder& binder, const pipeline::FileOutput& output,
                           const std::vector<std::string>& known,
                           const std::vector<std::string>& made) {
    const bool is_known = std::ranges::any_of(known, [&](const std::string& name) {
        const std::size_t pattern = name.find("${");
        return name == output.tensor ||
               (pattern != name.npos && output.tensor.starts_with(name.substr(0, pattern)));
    });
    if (!is_known) {
        binder.binding.violations.add(
            output.place, "outputs",
            fmt::format("no step makes {}, {}", output.tensor, correction(output.tensor, made)));
    }
}

/// Returns the tensors that steps make, once each.
std::vector<std::string> tensors_made(const std::vector<pipeline::PipelineStep>& steps) {
    std::vector<std::string> made;
    for (const pipeline::PipelineStep& step : steps) {
        for (const pipeline::StepOutput& output : step.outputs) {
            if (std::ranges::find(made, output.name) == made.end()) {
                made.push_back(output.name);
            }
        }
    }
    return made;
}

/// Binds `outputs:`; by default all tensors that steps make.
void bind_outputs(PipelineBinder& binder, const Node& node, const Node& steps) {
    std::vector<std::string> made = tensors_made(binder.spec.steps);
    if (node.kind == NodeKind::Null) {
        for (std::string& name : made) {
            binder.spec.outputs.push_back({.tensor = std::move(name)});
        }
        return;
    }
    if (node.kind != NodeKind::Sequence) {
        binder.mistake(node, "outputs", "expected a list of tensors, found " + describe(node));
        return;
    }
    const bool is_planned = binder.binding.violations.empty();  // else parts of steps are unknown
    std::vector<std::string> known = made;
    add_named_outputs(steps, known);
    for (const pipeline::PipelineStep& step : binder.spec.replaced_steps) {
        known.push_back(step.name + ".${part}");
    }
    for (const Node& element : node.elements) {
        const auto output = bind_file_output(binder, element);
        if (output && !output->tensor.empty() && !made.empty() && is_planned) {
            refuse_unknown_output(binder, *output, known, made);
        }
        // A list may name tensors that another choice of steps makes: `silu`, unless it is fused.
        if (output && std::ranges::find(made, output->tensor) != made.end()) {
            binder.spec.outputs.push_back(*output);
        }
    }
    // A list may name tensors of other choices, but not of these alone: nothing would be written.
    if (binder.spec.outputs.empty() && !node.elements.empty() && !made.empty() &&
        binder.binding.violations.empty()) {
        const Node& first = node.elements.front();
        binder.mistake(first, "outputs",
                       fmt::format("no step makes any of these tensors{} Allowed: {}",
                                   did_you_mean(first.text, made), fmt::join(made, ", ")));
    }
}

/// Owners of the names in the file of outputs. Two steps may write one tensor in turn, so names are
/// compared by their entry.
using StoredNames = std::map<std::string, const pipeline::FileOutput*>;

/// Adds the names of one output of a step; returns whether none of them is another tensor's.
bool add_stored_names(PipelineBinder& binder, const pipeline::PipelineStep& step,
                      std::size_t output, StoredNames& owners) {
    const std::uint32_t devices = binder.target.mesh.shape.num_devices();
    for (const auto& [name, held, entry] : stored_outputs(binder.spec, step, output, devices)) {
        const auto [owner, is_new] = owners.emplace(name, entry);
        if (!is_new && owner->second != entry) {
            binder.rules.add(entry->place, "outputs",
                             fmt::format("{} and {} have the same name {} in the file of outputs; "
                                         "rename one with `as`",
                                         owner->second->tensor, entry->tensor, name));
            return false;
        }
    }
    return true;
}

/// Refuses an entry with more rows than its tensor has, which would be written without the others.
void check_stored_rows(PipelineBinder& binder, const pipeline::PipelineStep& step,
                       std::size_t output) {
    const ops::TensorPlan& plan = step.output_plans[output];
    const std::uint32_t devices = binder.target.mesh.shape.num_devices();
    for (const auto& [name, held, entry] : stored_outputs(binder.spec, step, output, devices)) {
        const bool is_joined = entry->join == pipeline::FileJoin::Join;
        const std::uint64_t parts = is_joined ? held.size() : 1;
        const std::uint64_t most = entry->join == pipeline::FileJoin::Stack
                                       ? held.size()
                                       : plan.spec.shape.front() * parts;
        if (entry->rows > most) {
            binder.rules.add(entry->place, "outputs.rows",
                             fmt::format("{} of {}, allowed: 1 to {}", entry->rows, name, most));
            return;
        }
    }
}

/// Refuses two tensors with one name in the file of outputs, which would be found after the run,
/// when the second is written.
void check_stored_names(PipelineBinder& binder) {
    StoredNames owners;
    for (const pipeline::PipelineStep& step : binder.spec.steps) {
        for (std::size_t i = 0; i < step.outputs.size(); ++i) {
            check_stored_rows(binder, step, i);
            if (!add_stored_names(binder, step, i, owners)) {
                return;
            }
        }
    }
}

/// Binds `output_names:`. With plain names, tensors of a single device have no prefix "d0.".
void bind_output_names(PipelineBinder& binder, const Node& node) {
    const std::string word = node.kind == NodeKind::Null ? "by_device" : node.text;
    if (word != "by_device" && word != "plain") {
        binder.mistake(node, "output_names",
                       fmt::format("{}, allowed: by_device, plain", describe(node)));
        return;
    }
    binder.spec.has_plain_names = word == "plain";
    binder.resolve_word(node, "output_names", word);
}

/// Moves a step of a list into a map under its name.
void take_name(Node& step, std::vector<Entry>& named) {
    const Node* name = step.find("name");
    if (step.kind != NodeKind::Map || name == nullptr || name->kind != NodeKind::Scalar) {
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
    const Node* steps = root.find("steps");
    if (steps == nullptr || steps->kind != NodeKind::Map || steps->entries.empty()) {
        binder.mistake(steps == nullptr ? root : *steps, "steps",
                       steps == nullptr ? "required key is missing"
                                        : "expected a list of steps, found " +
                                              (steps->kind == NodeKind::Map ? "an empty one"
                                                                            : describe(*steps)));
    } else {
        refuse_new(binder, *steps, "steps.");
        binder.load_ops(entry(root, "ops"));
        bind_steps(binder, *steps, entry(root, "set"));
        if (binder.spec.steps.empty() && binding.violations.empty()) {
            rules.add(steps->origin, "steps",
                      "no step runs: when and repeat leave out all of them; allowed: 1 or more");
        }
        bind_workspaces(binder, entry(root, "workspaces"));
    }
    // With a wrong key, messages of planning would be its consequences.
    if (binding.violations.empty()) {
        plan_steps(binder);
    }
    bind_output_names(binder, entry(root, "output_names"));
    bind_outputs(binder, entry(root, "outputs"), entry(root, "steps"));
    if (binding.violations.empty()) {
        check_overridden_defaults(binder, entry(root, "set"));
        check_report_patterns(binder, root);
    }
    if (binding.violations.empty() && rules.empty()) {
        check_stored_names(binder);
    }
    for (const auto& [name, value] : binder.spec.params) {
        if (!binder.scope.is_read(name)) {
            binder.spec.unread_params.push_back(name);
        }
    }
    return std::move(binder.spec);
}

}  // namespace tessera::config
