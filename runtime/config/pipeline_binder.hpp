// SPDX-License-Identifier: Apache-2.0
// Shared by the binders of a run file's blocks: the scope of names, the record of mistakes, and
// fields whose values may be expressions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ops/op.hpp"
#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/pipeline_file.hpp"

namespace tessera::config {

/// State while a pipeline is bound: its specification so far, names in scope, and mistakes.
struct PipelineBinder {
    const PipelineTarget& target;
    Binding& binding;
    Violations& rules;
    pipeline::PipelineSpec spec = {};
    pipeline::Scope scope = pipeline::Scope();

    /// `groups:` of the run file, by name.
    std::map<std::string, pipeline::DeviceGroups, std::less<>> groups = {};

    /// Returns the groups of that name, or of one of the words all, rows, columns and each.
    /// Errors   UsageError that lists the names.
    [[nodiscard]] pipeline::DeviceGroups groups_called(std::string_view word) const;

    /// Tensors that exist at the step that is being bound, those with mistakes included.
    std::set<std::string, std::less<>> tensor_names = {};
    /// Inputs of steps that name none of `tensor_names`; bind_steps() reports them. They are apart
    /// from other mistakes, after which `tensor_names` may lack a name.
    Violations unknown_tensors = {};

    /// Number of repetitions of the entry that is being bound, over all levels.
    std::uint64_t num_repetitions = 1;

    /// `set:` of the run file: parameters of all steps of an op.
    const Node* defaults = nullptr;

    /// Use of one value of `set:` that comes from the command line.
    struct DefaultUse {
        Origin origin;
        bool is_used = false;
        std::string own = {};  ///< how a step overrides it: "set steps.gate.set.k_block instead"
    };
    /// Uses by path: "set.moe_bmm.k_block".
    std::map<std::string, DefaultUse> overridden_defaults = {};

    /// Ops outside the source tree, by name; they hide registered ops of the same name.
    std::map<std::string, std::shared_ptr<const ops::Op>> own_ops = {};

    /// Compiles and loads the folders that `ops:` lists.
    void load_ops(const Node& folders);
    /// Returns the op called `name`, or null.
    [[nodiscard]] std::shared_ptr<const ops::Op> op(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> op_names() const;

    void mistake(const Node& node, const std::string& path, const std::string& text) const {
        binding.violations.add(node.origin, path, text);
    }
    /// Returns whether `node` is text; else records that `wanted` was expected: "the name of an op".
    [[nodiscard]] bool is_word(const Node& node, const std::string& path,
                               std::string_view wanted) const;
    /// Runs `act` and records its UsageError as a mistake at `node`.
    void guarded(const Node& node, const std::string& path, const std::function<void()>& act) const;

    /// Records a value in the resolved tree.
    void resolve(const Node& node, const std::string& path, const std::string& text,
                 const std::string& json) const;
    void resolve_word(const Node& node, const std::string& path, const std::string& text) const;

    /// Records a mistake for each key of a map that is not `known`.
    void refuse_unknown(const Node& map, const std::string& path,
                        std::span<const KeyRow> known) const;
    void refuse_unknown(const Node& map, const std::string& path,
                        const std::vector<std::string>& words) const;

    /// Returns `node` with expressions evaluated in `names`: plain scalars that are not a value of
    /// their field.
    [[nodiscard]] Node evaluated(std::span<const Field> fields, const Node& node, void* object,
                                 const std::string& path, const pipeline::Scope& names) const;
    /// Returns a scalar or sequence with every plain scalar replaced by its value.
    [[nodiscard]] Node evaluated(const Node& node, const pipeline::Scope& names) const;
};

/// Type of the value of a member, which may be optional.
template <class Member>
struct ValueOf {
    using Type = Member;
};
template <class T>
struct ValueOf<std::optional<T>> {
    using Type = T;
};

/// Binds a value of a plain type, or records a mistake at its position. Null binds nothing.
template <class Member>
void bind_plain(PipelineBinder& binder, const Node* node, const std::string& path, Member& member) {
    using T = typename ValueOf<Member>::Type;
    if (node == nullptr) {
        return;
    }
    const auto parsed = Value<T>::parse(*node);
    if (const auto* mistake = std::get_if<Mistake>(&parsed)) {
        binder.binding.violations.add(mistake->origin, path, mistake->text);
        return;
    }
    member = std::get<T>(parsed);
    binder.resolve_word(*node, path, Value<T>::show(std::get<T>(parsed)));
}

/// Returns the value of a key; a null node if the map has none.
[[nodiscard]] const Node& entry(const Node& map, std::string_view key);

/// Returns the shape of a list of expressions.
/// Errors   UsageError.
[[nodiscard]] Shape shape_of(const Node& node, const pipeline::Scope& names);

/// Returns a name in a file: ${…} is replaced, except ${device}, which is replaced for each device.
/// Errors   UsageError.
[[nodiscard]] std::string name_pattern(const Node& node, const pipeline::Scope& names);

/// Binds a MemoryConfig from `dram`, `l1`, or {memory, layout, grid, orientation, shard}.
void bind_memory(PipelineBinder& binder, const Node& node, const std::string& path,
                 MemoryConfig& memory, const pipeline::Scope& names);

/// Limit of the product of nested repetitions: 3000 × 3000 filled the host's memory in `check`.
inline constexpr std::uint32_t kMostRepetitions = 4096;
/// Runs `act` once for each value of l in `repeat: {l: 4}`, and not at all if `when: …` is false.
void repeat(PipelineBinder& binder, const Node& node, const std::string& path,
            const pipeline::Scope& names, const std::function<void(const pipeline::Scope&)>& act);

/// Binds one of `params:` and adds its name to the binder's scope.
void bind_param(PipelineBinder& binder, const Entry& param);

/// Binds `groups:`.
void bind_groups(PipelineBinder& binder, const Node& groups);
/// Returns the groups of a step's `devices`, a word or a list of ids; all devices without that key.
[[nodiscard]] pipeline::DeviceGroups bind_devices(PipelineBinder& binder, const Node& step,
                                                  const std::string& path,
                                                  const pipeline::Scope& names);

/// Binds `tensors:`.
void bind_tensors(PipelineBinder& binder, const Node& tensors);
/// Binds `steps:`, programs included.
void bind_steps(PipelineBinder& binder, const Node& steps, const Node& defaults);
/// Binds the parameters of a step's op: the step's own `set:` over the run file's `set:` for the
/// op.
void bind_parameters(PipelineBinder& binder, const Node& step, const Node& defaults,
                     const std::string& path, const pipeline::Scope& names,
                     pipeline::PipelineStep& spec);
/// Refuses values of `--set set.OP.…` that no step takes: the run has no step of the op, or each
/// overrides the value. `defaults` is `set:` of the run file.
void check_overridden_defaults(PipelineBinder& binder, const Node& defaults);
/// Refuses entries of the run file's `set:` without an op or a parameter of that name.
void refuse_unknown_defaults(const PipelineBinder& binder, const Node& defaults);
/// Binds `workspaces:`. Called after the steps, whose outputs it names.
void bind_workspaces(PipelineBinder& binder, const Node& workspaces);

/// Binds `outputs:`; by default all tensors that steps make. Called after planning.
void bind_file_outputs(PipelineBinder& binder, const Node& node, const Node& steps);
/// Binds `output_names:`. With plain names, tensors of a single device have no prefix "d0.".
void bind_output_names(PipelineBinder& binder, const Node& node);
/// Refuses two tensors with one name in the file of outputs, which would be found after the run,
/// when the second is written, and entries with more rows than their tensors have.
void check_stored_names(PipelineBinder& binder);

/// Binds `report:`.
void bind_report(PipelineBinder& binder, const Node& report);
/// Refuses patterns of `report.stages` that no step of the run file has, whatever its `when`
/// conditions choose. Called after planning.
void check_report_patterns(const PipelineBinder& binder, const Node& root);

/// Returns the step of one part of `whole`, with bound parameters; nothing if they are refused.
[[nodiscard]] std::optional<pipeline::PipelineStep> bind_part(PipelineBinder& binder,
                                                              const pipeline::PipelineStep& whole,
                                                              const ops::PartStep& part);

/// Returns the op of a `program:` step.
[[nodiscard]] std::shared_ptr<const ops::Op> bind_program(PipelineBinder& binder, const Node& step,
                                                          const std::string& path,
                                                          const pipeline::PipelineStep& spec,
                                                          const pipeline::Scope& names);

/// Returns the text for an input of a step that is none of the `known` tensors.
[[nodiscard]] std::string unknown_tensor(const std::string& tensor,
                                         const std::vector<std::string>& known);

/// Infers the operands of every step and checks contracts and rules. Replaces steps of an op that
/// is made of others by their parts.
void plan_steps(PipelineBinder& binder);

}  // namespace tessera::config
