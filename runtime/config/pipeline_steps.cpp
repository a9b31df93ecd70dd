// SPDX-License-Identifier: Apache-2.0
// The block `steps:` of a run file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "emu/base/fields/nearest.hpp"
#include "ops/registry.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/limits.hpp"
#include "runtime/config/pipeline_binder.hpp"
#include "runtime/pipeline/own_op.hpp"
#include "tessera/errors.hpp"

namespace tessera::config {
namespace {

using ops::Op;
using pipeline::PipelineStep;
using pipeline::Scope;
using pipeline::StepOutput;

void resolve_list(const PipelineBinder& binder, const Node& node, const std::string& path,
                  const std::vector<std::string>& names) {
    binder.resolve(node, path, fmt::format("[{}]", fmt::join(names, ", ")),
                   nlohmann::json(names).dump());
}

/// The operand's place in a map of operands by name.
std::optional<std::size_t> operand_index(const PipelineBinder& binder, const Entry& entry,
                                         std::span<const ops::Operand> operands,
                                         const std::string& path) {
    const auto found = std::ranges::find(operands, entry.key, &ops::Operand::name);
    if (found != operands.end()) {
        return static_cast<std::size_t>(found - operands.begin());
    }
    std::vector<std::string> known;
    for (const ops::Operand& operand : operands) {
        known.emplace_back(operand.name);
    }
    binder.binding.violations.add(
        entry.origin, path + "." + entry.key,
        known.empty()
            ? "the op takes no operand by name; give a list"
            : fmt::format("no operand of the op, did you mean {}?", nearest(entry.key, known)));
    return std::nullopt;
}

/// `in: [a, b]`, or `in: {operand: a, …}`.
void bind_inputs(PipelineBinder& binder, const Node& step, const std::string& path,
                 const Scope& names, PipelineStep& spec) {
    const Node* in = step.find("in");
    if (in == nullptr) {
        return;
    }
    spec.inputs_place = in->origin;
    if (in->kind == NodeKind::Map) {
        for (const Entry& entry : in->entries) {
            if (const auto index =
                    operand_index(binder, entry, spec.op->spec.inputs, path + ".in")) {
                spec.inputs.resize(std::max(spec.inputs.size(), *index + 1));
                spec.inputs[*index] = pipeline::substitute(entry.value.text, names);
            }
        }
    } else if (in->kind == NodeKind::Sequence) {
        for (const Node& name : in->elements) {
            spec.inputs.push_back(pipeline::substitute(name.text, names));
        }
    } else {
        binder.mistake(*in, path + ".in", "expected a list of tensors, found " + describe(*in));
    }
    resolve_list(binder, *in, path + ".in", spec.inputs);
}

template <class T>
void bind_plain(PipelineBinder& binder, const Node* node, const std::string& path,
                std::optional<T>& member) {
    if (node == nullptr) {
        return;
    }
    const auto parsed = Value<T>::parse(*node);
    if (const auto* mistake = std::get_if<Mistake>(&parsed)) {
        binder.binding.violations.add(mistake->origin, path, mistake->text);
        return;
    }
    member = std::get<T>(parsed);
    binder.resolve_word(*node, path, Value<T>::show(*member));
}

void bind_output(PipelineBinder& binder, const Node& node, const std::string& path,
                 const Scope& names, StepOutput& output) {
    if (node.kind == NodeKind::Null) {
        return;
    }
    if (node.kind != NodeKind::Map) {
        binder.mistake(node, path, "expected {shape: …, dtype: …}, found " + describe(node));
        return;
    }
    binder.refuse_unknown(node, path + ".", kOutputKeys);
    if (const Node* shape = node.find("shape")) {
        binder.guarded(*shape, path + ".shape", [&] {
            output.shape = shape_of(*shape, names);
            binder.resolve(*shape, path + ".shape", Value<Numbers>::show(*output.shape),
                           nlohmann::json(*output.shape).dump());
        });
    }
    bind_plain(binder, node.find("dtype"), path + ".dtype", output.format);
    bind_plain(binder, node.find("layout"), path + ".layout", output.layout);
    if (const Node* memory = node.find("memory")) {
        output.memory.emplace();
        bind_memory(binder, *memory, path + ".memory", *output.memory, names);
    }
}

/// `out: [a, b]`, or `out: {a: {shape: …, dtype: …}, b: {}}`.
void bind_outputs(PipelineBinder& binder, const Node& step, const std::string& path,
                  const Scope& names, PipelineStep& spec) {
    const Node* out = step.find("out");
    if (out == nullptr) {
        binder.mistake(step, path + ".out", "required key is missing");
        return;
    }
    std::vector<std::string> made;
    if (out->kind == NodeKind::Map) {
        for (const Entry& entry : out->entries) {
            StepOutput output{.name = pipeline::substitute(entry.key, names),
                              .place = entry.origin};
            bind_output(binder, entry.value, path + ".out." + output.name, names, output);
            spec.outputs.push_back(std::move(output));
        }
    } else if (out->kind == NodeKind::Sequence) {
        for (const Node& name : out->elements) {
            spec.outputs.push_back(
                {.name = pipeline::substitute(name.text, names), .place = name.origin});
        }
    } else {
        binder.mistake(*out, path + ".out", "expected a list of tensors, found " + describe(*out));
    }
    for (const StepOutput& output : spec.outputs) {
        made.push_back(output.name);
    }
    resolve_list(binder, *out, path + ".out", made);
}

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

void bind_parameters(PipelineBinder& binder, const Node& step, const Node& defaults,
                     const std::string& path, const Scope& names, PipelineStep& spec) {
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

bool bind_op(PipelineBinder& binder, const Node& step, const std::string& path, const Scope& names,
             PipelineStep& spec) {
    const Node* op = step.find("op");
    const Node* program = step.find("program");
    if ((op == nullptr) == (program == nullptr)) {
        binder.mistake(step, path,
                       op == nullptr ? "neither op nor program: one of them is required"
                                     : "op and program: one of them is allowed");
        return false;
    }
    if (program != nullptr) {
        spec.op = bind_program(binder, step, path, spec, names);
        return spec.op != nullptr;
    }
    const std::string name = pipeline::substitute(op->text, names);
    spec.op = binder.op(name);
    if (spec.op == nullptr) {
        const auto known = binder.op_names();
        binder.mistake(*op, path + ".op",
                       fmt::format("'{}' is no op, did you mean {}? Known: {}", name,
                                   nearest(name, known), fmt::join(known, ", ")));
        return false;
    }
    binder.resolve_word(*op, path + ".op", name);
    return true;
}

void bind_step(PipelineBinder& binder, const Entry& entry, const Node& defaults,
               const Scope& names) {
    const Node& node = entry.value;
    PipelineStep spec{.name = pipeline::substitute(entry.key, names),
                      .place = entry.origin,
                      .inputs_place = entry.origin};
    const std::string path = "steps." + spec.name;
    binder.refuse_unknown(node, path + ".", kStepKeys);
    // A program takes its operands as they are named, so it is bound behind them.
    const bool is_program = node.find("program") != nullptr;
    if (is_program) {
        static const Op kNoContract{};
        spec.op = {std::shared_ptr<const Op>(), &kNoContract};
    } else if (!bind_op(binder, node, path, names, spec)) {
        return;
    }
    bind_inputs(binder, node, path, names, spec);
    bind_outputs(binder, node, path, names, spec);
    if (is_program && !bind_op(binder, node, path, names, spec)) {
        return;
    }
    bind_parameters(binder, node, defaults, path, names, spec);
    spec.groups = bind_devices(binder, node, path, names);
    if (const Node* launch = node.find("launch")) {
        spec.launch = pipeline::substitute(launch->text, names);
        binder.resolve_word(*launch, path + ".launch", spec.launch);
    }
    if (const Node* beside = node.find("beside")) {
        spec.beside = pipeline::substitute(beside->text, names);
        binder.resolve_word(*beside, path + ".beside", spec.beside);
    }
    std::optional<CoreCoord> first;
    if (const Node* core = node.find("first_core")) {
        binder.guarded(*core, path + ".first_core", [&] {
            const Node ready = binder.evaluated(*core, names);
            bind_plain(binder, &ready, path + ".first_core", first);
        });
    }
    spec.first_core = first.value_or(CoreCoord{0, 0});
    if (std::ranges::find(binder.spec.steps, spec.name, &PipelineStep::name) !=
        binder.spec.steps.end()) {
        binder.mistake(node, path, "stands twice; a repeated step has ${…} in its name");
        return;
    }
    binder.spec.steps.push_back(std::move(spec));
}

/// A word or number, or a list of them: "[1, 1]".
Node value_of(std::string_view text, const Origin& origin) {
    if (!text.starts_with('[')) {
        return {.kind = NodeKind::Scalar, .origin = origin, .text = std::string(text)};
    }
    Node list{.kind = NodeKind::Sequence, .origin = origin};
    text = text.substr(1, text.size() - 2);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(", "), text.size());
        list.elements.push_back(value_of(text.substr(0, end), origin));
        text.remove_prefix(std::min(end + 2, text.size()));
    }
    return list;
}

/// What a part calls `name`: the whole step's operand of that name, or a tensor of the parts.
std::string name_in(const PipelineStep& whole, const std::string& name) {
    const auto index_in = [&](std::span<const ops::Operand> operands) {
        return static_cast<std::size_t>(std::ranges::find(operands, name, &ops::Operand::name) -
                                        operands.begin());
    };
    const std::size_t input = index_in(whole.op->spec.inputs);
    const std::size_t output = index_in(whole.op->spec.outputs);
    return input < whole.inputs.size()     ? whole.inputs[input]
           : output < whole.outputs.size() ? whole.outputs[output].name
                                           : whole.name + "." + name;
}

StepOutput output_in(const PipelineStep& whole, const std::string& name) {
    const std::string tensor = name_in(whole, name);
    const auto own = std::ranges::find(whole.outputs, tensor, &StepOutput::name);
    return own != whole.outputs.end() ? *own : StepOutput{.name = tensor, .place = whole.place};
}

/// Errors   UsageError for a tensor that no step makes, or that lies in a workspace already.
void put_in_workspace(pipeline::PipelineSpec& spec, const std::string& tensor,
                      const std::string& workspace) {
    std::vector<std::string> made;
    bool is_made = false;
    for (PipelineStep& step : spec.steps) {
        for (StepOutput& output : step.outputs) {
            made.push_back(output.name);
            if (output.name == tensor) {
                require(output.workspace.empty() || output.workspace == workspace,
                        "{} lies in {} already", tensor, output.workspace);
                output.workspace = workspace;
                is_made = true;
            }
        }
    }
    require(is_made, "no step makes {}, did you mean {}?", tensor, nearest(tensor, made));
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

void bind_entries(PipelineBinder& binder, const Node& steps, const Node& defaults,
                  const Scope& names) {
    for (const Entry& entry : steps.entries) {
        const std::string path = "steps." + entry.key;
        if (entry.origin.kind == OriginKind::Override) {
            continue;  // refused
        }
        if (entry.value.kind != NodeKind::Map) {
            binder.mistake(entry.value, path,
                           "expected {op: …, in: …, out: …}, found " + describe(entry.value));
            continue;
        }
        repeat(binder, entry.value, path, names, [&](const Scope& inner) {
            if (const Node* block = entry.value.find("steps")) {
                bind_entries(binder, *block, defaults, inner);
            } else {
                bind_step(binder, entry, defaults, inner);
            }
        });
    }
}

}  // namespace

void PipelineBinder::load_ops(const Node& folders) {
    if (folders.kind != NodeKind::Sequence && folders.kind != NodeKind::Null) {
        mistake(folders, "ops", "expected a list of folders, found " + describe(folders));
        return;
    }
    for (const Node& folder : folders.elements) {
        guarded(folder, "ops", [&] {
            auto op = pipeline::load_own_op(ground.file.parent_path() / folder.text);
            resolve_word(folder, fmt::format("ops.{}", op->spec.name), op->folder);
            own_ops.insert_or_assign(std::string(op->spec.name), std::move(op));
        });
    }
}

std::shared_ptr<const Op> PipelineBinder::op(const std::string& name) const {
    const auto own = own_ops.find(name);
    if (own != own_ops.end()) {
        return own->second;
    }
    // Those of the registry live as long as the program.
    return {std::shared_ptr<const Op>(), ops::find_op(name)};
}

std::vector<std::string> PipelineBinder::op_names() const {
    std::vector<std::string> names;
    for (const auto& [name, op] : own_ops) {
        names.push_back(name);
    }
    for (const Op* op : ops::all_ops()) {
        names.emplace_back(op->spec.name);
    }
    return names;
}

std::optional<PipelineStep> bind_part(PipelineBinder& binder, const PipelineStep& whole,
                                      const ops::PartStep& part) {
    PipelineStep step{.name = whole.name + "." + part.name,
                      .op = binder.op(part.op),
                      .groups = whole.groups,
                      .first_core = whole.first_core,
                      .place = whole.place,
                      .inputs_place = whole.inputs_place};
    ensure(step.op != nullptr, "part {} of {}: there is no op {}", part.name, whole.op->spec.name,
           part.op);
    for (const std::string& name : part.inputs) {
        step.inputs.push_back(name_in(whole, name));
    }
    for (std::size_t i = 0; i < part.outputs.size(); ++i) {
        step.outputs.push_back(output_in(whole, part.outputs[i]));
        // What the whole step gives may lie where its run file says.
        const bool is_own = step.outputs.back().name == whole.name + "." + part.outputs[i];
        if (is_own && i < part.workspaces.size() && !part.workspaces[i].empty()) {
            step.outputs.back().workspace = whole.name + "." + part.workspaces[i];
        }
    }

    Node set{.kind = NodeKind::Map, .origin = {.kind = OriginKind::Default}};
    for (const auto& [key, value] : part.set) {
        set.entries.push_back({key, set.origin, value_of(value, set.origin)});
    }
    Node node{.kind = NodeKind::Map, .origin = whole.place};
    node.entries.push_back({"set", node.origin, std::move(set)});
    bind_parameters(binder, node, binder.defaults == nullptr ? Node{} : *binder.defaults,
                    "steps." + step.name, binder.scope, step);
    return binder.binding.violations.empty() ? std::optional(std::move(step)) : std::nullopt;
}

void bind_workspaces(PipelineBinder& binder, const Node& workspaces) {
    if (workspaces.kind != NodeKind::Map && workspaces.kind != NodeKind::Null) {
        binder.mistake(workspaces, "workspaces",
                       "expected {name: [tensor, …]}, found " + describe(workspaces));
        return;
    }
    for (const Entry& workspace : workspaces.entries) {
        const std::string path = "workspaces." + workspace.key;
        for (const Node& element : workspace.value.elements) {
            binder.guarded(element, path, [&] {
                const std::string tensor = pipeline::substitute(element.text, binder.scope);
                put_in_workspace(binder.spec, tensor, workspace.key);
            });
        }
    }
}

void bind_steps(PipelineBinder& binder, const Node& steps, const Node& defaults) {
    binder.defaults = &defaults;
    refuse_unknown_defaults(binder, defaults);
    bind_entries(binder, steps, defaults, binder.scope);
}

}  // namespace tessera::config
