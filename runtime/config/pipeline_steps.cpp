// SPDX-License-Identifier: Apache-2.0
// Binds the block `steps:` of a run file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "emu/base/fields/nearest.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/pipeline_binder.hpp"

namespace tessera::config {
namespace {

using pipeline::PipelineStep;
using pipeline::Scope;
using pipeline::StepOutput;

/// Records a list of names in the resolved tree, as YAML and as JSON.
void resolve_list(const PipelineBinder& binder, const Node& node, const std::string& path,
                  const std::vector<std::string>& names) {
    binder.resolve(node, path, fmt::format("[{}]", fmt::join(names, ", ")),
                   nlohmann::json(names).dump());
}

/// Returns the index of the operand that a map entry names.
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
        known.empty() ? "the op has no named operands; use a list"
                      : fmt::format("unknown operand, {}", correction(entry.key, known)));
    return std::nullopt;
}

/// Returns the tensor that a map entry names: `a`, or nothing if the `when` of `{tensor: a, when:
/// condition}` does not hold.
std::string named_input(PipelineBinder& binder, const Node& node, const std::string& path,
                        const Scope& names) {
    if (node.kind != NodeKind::Map) {
        return pipeline::substitute(node.text, names);
    }
    binder.refuse_unknown(node, path + ".", kInputKeys);
    const Node* tensor = node.find("tensor");
    const Node* when = node.find("when");
    if (tensor == nullptr || when == nullptr) {
        binder.mistake(node, path + (tensor == nullptr ? ".tensor" : ".when"),
                       "required key is missing");
        return {};
    }
    bool is_given = false;
    binder.guarded(*when, path + ".when",
                   [&] { is_given = pipeline::evaluate_condition(when->text, names); });
    return is_given ? pipeline::substitute(tensor->text, names) : std::string{};
}

/// Returns whether `tensor` is a tensor between the parts of an earlier step, "moe.gated". These
/// are known when the step is planned.
bool is_of_parts(const PipelineBinder& binder, const std::string& tensor) {
    return std::ranges::any_of(binder.spec.steps, [&](const PipelineStep& step) {
        return step.op->parts && tensor.starts_with(step.name + ".");
    });
}

/// Records an input that names no tensor at its own position. Returns whether the name is known, or
/// cannot be judged before planning.
bool check_tensor(PipelineBinder& binder, const Node& node, const std::string& path,
                  const std::string& tensor) {
    // After another mistake a name may be missing because of it.
    if (tensor.empty() || binder.tensor_names.contains(tensor) || is_of_parts(binder, tensor) ||
        !binder.binding.violations.empty()) {
        return true;
    }
    const std::vector<std::string> known(binder.tensor_names.begin(), binder.tensor_names.end());
    binder.unknown_tensors.add(node.origin, path, unknown_tensor(tensor, known));
    return false;
}

/// Binds `in: [a, b]`, or `in: {operand: a, …}`. Returns whether all tensors are known.
bool bind_inputs(PipelineBinder& binder, const Node& step, const std::string& path,
                 const Scope& names, PipelineStep& spec) {
    const Node* in = step.find("in");
    if (in == nullptr) {
        return true;
    }
    // A step with `beside` runs later than its position says, so that planning checks its inputs.
    const bool is_in_order = step.find("beside") == nullptr;
    bool are_known = true;
    spec.inputs_place = in->origin;
    if (in->kind == NodeKind::Map) {
        for (const Entry& entry : in->entries) {
            if (const auto index =
                    operand_index(binder, entry, spec.op->spec.inputs, path + ".in")) {
                // Operands that are not named stay empty; the contract says whether they are
                // optional.
                spec.inputs.resize(std::max(spec.inputs.size(), *index + 1));
                const std::string own_path = path + ".in." + entry.key;
                spec.inputs[*index] = named_input(binder, entry.value, own_path, names);
                const Node* tensor = entry.value.find("tensor");
                are_known &=
                    !is_in_order || check_tensor(binder, tensor == nullptr ? entry.value : *tensor,
                                                 own_path, spec.inputs[*index]);
            }
        }
    } else if (in->kind == NodeKind::Sequence) {
        for (const Node& name : in->elements) {
            spec.inputs.push_back(pipeline::substitute(name.text, names));
            if (spec.inputs.back().empty()) {
                binder.mistake(name, path + ".in",
                               "expected a tensor, found nothing; use `in: {operand: tensor}` to "
                               "omit an optional one");
            }
            are_known &=
                !is_in_order || check_tensor(binder, name, path + ".in", spec.inputs.back());
        }
    } else {
        binder.mistake(*in, path + ".in", "expected a list of tensors, found " + describe(*in));
    }
    // Optional operands at the end that `when` leaves out are as if they were not written.
    while (in->kind == NodeKind::Map && !spec.inputs.empty() && spec.inputs.back().empty()) {
        spec.inputs.pop_back();
    }
    resolve_list(binder, *in, path + ".in", spec.inputs);
    return are_known;
}

/// Binds the properties of one output that the run file states; the op infers the others.
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
    // Properties that the file does not state stay empty, so that those which the op infers remain.
    bind_plain(binder, node.find("dtype"), path + ".dtype", output.format);
    bind_plain(binder, node.find("layout"), path + ".layout", output.layout);
    bind_plain(binder, node.find("tile"), path + ".tile", output.tile);
    if (const Node* memory = node.find("memory")) {
        output.memory.emplace();
        bind_memory(binder, *memory, path + ".memory", *output.memory, names);
    }
}

/// Binds `out: [a, b]`, or `out: {a: {shape: …, dtype: …}, b: {}}`.
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
            if (!binder.is_word(name, path + ".out", "the name of a tensor")) {
                return;
            }
            spec.outputs.push_back(
                {.name = pipeline::substitute(name.text, names), .place = name.origin});
        }
    } else {
        binder.mistake(*out, path + ".out", "expected a list of tensors, found " + describe(*out));
    }
    if (spec.outputs.empty() && out->kind != NodeKind::Scalar) {
        binder.mistake(*out, path + ".out", "is empty; allowed: one tensor or more");
    }
    for (const StepOutput& output : spec.outputs) {
        if (output.name.empty()) {
            binder.mistake(*out, path + ".out", "has a tensor without a name");
        }
        made.push_back(output.name);
    }
    binder.tensor_names.insert(made.begin(), made.end());
    resolve_list(binder, *out, path + ".out", made);
}

/// Binds the op or the program of a step; returns whether it has one.
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
    if (const Node* reference = step.find("reference"); reference != nullptr && op != nullptr) {
        binder.mistake(*reference, path + ".reference",
                       "has no effect: the op has its own reference; allowed with program");
    }
    if (program != nullptr) {
        spec.op = bind_program(binder, step, path, spec, names);
        return spec.op != nullptr;
    }
    if (!binder.is_word(*op, path + ".op", "the name of an op")) {
        return false;
    }
    const std::string name = pipeline::substitute(op->text, names);
    spec.op = binder.op(name);
    if (spec.op == nullptr && binder.own_ops.contains(name)) {
        return false;  // it did not load, which is reported at `ops:`
    }
    if (spec.op == nullptr) {
        const auto known = binder.op_names();
        binder.mistake(
            *op, path + ".op",
            fmt::format("unknown op '{}'{} Allowed: the ops that `tessera list ops` shows", name,
                        did_you_mean(name, known)));
        return false;
    }
    binder.resolve_word(*op, path + ".op", name);
    return true;
}

/// Binds a key whose value names a launch or a step; returns no letters without the key.
std::string bind_name(PipelineBinder& binder, const Node& step, const std::string& path,
                      const char* key, const char* meaning, const Scope& names) {
    const Node* node = step.find(key);
    const std::string own_path = path + "." + key;
    if (node == nullptr || !binder.is_word(*node, own_path, meaning)) {
        return "";
    }
    std::string name = pipeline::substitute(node->text, names);
    binder.resolve_word(*node, own_path, name);
    return name;
}

CoreCoord bind_first_core(PipelineBinder& binder, const Node& step, const std::string& path,
                          const Scope& names) {
    std::optional<CoreCoord> first;
    if (const Node* core = step.find("first_core")) {
        binder.guarded(*core, path + ".first_core", [&] {
            const Node ready = binder.evaluated(*core, names);
            bind_plain(binder, &ready, path + ".first_core", first);
        });
    }
    return first.value_or(CoreCoord{0, 0});
}

/// Binds one step. A step with a mistake is left out, so that the next ones are checked, too.
void bind_step(PipelineBinder& binder, const Entry& entry, const Node& defaults,
               const Scope& names) {
    const Node& node = entry.value;
    PipelineStep spec{.name = pipeline::substitute(entry.key, names),
                      .place = entry.origin,
                      .inputs_place = entry.origin};
    const std::string path = "steps." + spec.name;
    binder.refuse_unknown(node, path + ".", kStepKeys);
    // The operands of a program are the tensors that the step names, so these are bound first; an
    // op is bound first, since its operands have names that `in` may use.
    const bool is_program = node.find("program") != nullptr;
    if (is_program) {
        // bind_inputs() looks operands up by name; a program's operands have the names of tensors,
        // so a map is refused with "use a list".
        static const ops::Op kNoContract{};
        spec.op = {std::shared_ptr<const ops::Op>(), &kNoContract};
    } else if (!bind_op(binder, node, path, names, spec)) {
        return;
    }
    const bool has_inputs = bind_inputs(binder, node, path, names, spec);
    bind_outputs(binder, node, path, names, spec);
    // Expressions of a program name its inputs; their mistakes would follow from a wrong input.
    if (is_program && (!has_inputs || !bind_op(binder, node, path, names, spec))) {
        return;
    }
    bind_parameters(binder, node, defaults, path, names, spec);
    spec.groups = bind_devices(binder, node, path, names);
    spec.launch = bind_name(binder, node, path, "launch", "the name of a launch", names);
    spec.beside = bind_name(binder, node, path, "beside", "the name of a step", names);
    spec.first_core = bind_first_core(binder, node, path, names);
    if (std::ranges::find(binder.spec.steps, spec.name, &PipelineStep::name) !=
        binder.spec.steps.end()) {
        binder.mistake(node, path, "is defined twice; the name of a repeated step needs ${…}");
        return;
    }
    binder.spec.steps.push_back(std::move(spec));
}

/// Binds the steps of a block, with `repeat` and `when` of each entry.
void bind_entries(PipelineBinder& binder, const Node& steps, const Node& defaults,
                  const Scope& names) {
    for (const Entry& entry : steps.entries) {
        const std::string path = "steps." + entry.key;
        if (entry.origin.kind == OriginKind::Override) {
            continue;  // refuse_new() reports it
        }
        if (entry.value.kind != NodeKind::Map) {
            binder.mistake(entry.value, path,
                           "expected {op: …, in: …, out: …}, found " + describe(entry.value));
            continue;
        }
        repeat(binder, entry.value, path, names, [&](const Scope& inner) {
            // A block of steps has no op of its own, only `repeat` and `when`.
            const Node* block = entry.value.find("steps");
            // Names with ${…} of a param that does not exist have no position of their own.
            const auto bind = [&] { bind_step(binder, entry, defaults, inner); };
            if (block == nullptr) {
                binder.guarded(entry.value, path, bind);
            } else {
                bind_entries(binder, *block, defaults, inner);
            }
        });
    }
}

}  // namespace

void bind_steps(PipelineBinder& binder, const Node& steps, const Node& defaults) {
    if (defaults.kind != NodeKind::Map && defaults.kind != NodeKind::Null) {
        binder.mistake(defaults, "set", "expected {op: {key: value}}, found " + describe(defaults));
    }
    binder.defaults = &defaults;
    // Once for the whole file, before any step reads the block.
    refuse_unknown_defaults(binder, defaults);
    bind_entries(binder, steps, defaults, binder.scope);
    binder.binding.violations.append(binder.unknown_tensors);
}

}  // namespace tessera::config
