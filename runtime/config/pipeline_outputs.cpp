// SPDX-License-Identifier: Apache-2.0
// Binds `outputs:` and `output_names:` of a run file: tensors in the file of --outputs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "emu/base/fields/nearest.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "runtime/config/pipeline_file.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

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

}  // namespace

void bind_file_outputs(PipelineBinder& binder, const Node& node, const Node& steps) {
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

}  // namespace tessera::config
