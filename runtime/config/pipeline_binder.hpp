// SPDX-License-Identifier: Apache-2.0
// What the parts of pipeline_file share: the scope of names, the place of mistakes, and fields
// whose values may be expressions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/config/fields/pipeline_keys.hpp"
#include "runtime/config/pipeline_file.hpp"

namespace tessera::config {

/// Notes what goes wrong while a part of the pipeline is bound.
struct PipelineBinder {
    const PipelineGround& ground;
    Binding& binding;
    Violations& rules;
    pipeline::PipelineSpec spec = {};
    pipeline::Scope scope = pipeline::Scope();

    /// `groups:` of the run file, by name.
    std::map<std::string, pipeline::DeviceGroups, std::less<>> groups = {};

    /// Those of that name, or of one of the words all, rows, columns and each.
    /// Errors   UsageError that lists the names.
    [[nodiscard]] pipeline::DeviceGroups groups_called(std::string_view word) const;

    /// How often the entry that is being bound is repeated, over all levels.
    std::uint64_t num_repetitions = 1;

    /// `set:` of the run file: parameters of all steps of an op.
    const Node* defaults = nullptr;

    /// Uses of one value of `set:` that came from the command line.
    struct DefaultUse {
        Origin origin;
        bool is_used = false;
        std::string own = {};  ///< how a step overrides it: "set steps.gate.set.k_block instead"
    };
    /// By path: "set.moe_bmm.k_block".
    std::map<std::string, DefaultUse> overridden_defaults = {};

    /// Ops outside of the tree, by name; they stand before those of the registry.
    std::map<std::string, std::shared_ptr<const ops::Op>> own_ops = {};

    /// Compiles and loads the folders that `ops:` lists.
    void load_ops(const Node& folders);
    /// The op called `name`, or null.
    [[nodiscard]] std::shared_ptr<const ops::Op> op(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> op_names() const;

    void mistake(const Node& node, const std::string& path, const std::string& text) const {
        binding.violations.add(node.origin, path, text);
    }
    /// Runs `act`; what it refuses is a mistake at `node`.
    void guarded(const Node& node, const std::string& path, const std::function<void()>& act) const;

    /// Notes a value in the resolved tree.
    void resolve(const Node& node, const std::string& path, const std::string& text,
                 const std::string& json) const;
    void resolve_word(const Node& node, const std::string& path, const std::string& text) const;

    /// Refuses keys of a map that are not `known`.
    void refuse_unknown(const Node& map, const std::string& path,
                        std::span<const KeyRow> known) const;
    void refuse_unknown(const Node& map, const std::string& path,
                        const std::vector<std::string>& words) const;

    /// `node` with the plain scalars that are no value of their field evaluated in `names`.
    [[nodiscard]] Node evaluated(std::span<const Field> fields, const Node& node, void* object,
                                 const std::string& path, const pipeline::Scope& names) const;
    /// A scalar or sequence with every plain scalar replaced by its value.
    [[nodiscard]] Node evaluated(const Node& node, const pipeline::Scope& names) const;
};

/// The value under a key; a null node without one.
[[nodiscard]] const Node& entry(const Node& map, std::string_view key);

/// The shape of a list of expressions.
/// Errors   UsageError.
[[nodiscard]] Shape shape_of(const Node& node, const pipeline::Scope& names);

/// A name in a file, with ${…} replaced but for ${device}, which the device's number will replace.
/// Errors   UsageError.
[[nodiscard]] std::string name_pattern(const Node& node, const pipeline::Scope& names);

/// A MemoryConfig from `dram`, `l1`, or {memory, layout, grid, orientation}.
void bind_memory(PipelineBinder& binder, const Node& node, const std::string& path,
                 MemoryConfig& memory, const pipeline::Scope& names);

/// `repeat: {l: 4}` runs `act` once for each value of l; `when: …` not at all unless it holds.
/// Nested ones multiply, and their product is limited.
inline constexpr std::uint32_t kMostRepetitions = 4096;
void repeat(PipelineBinder& binder, const Node& node, const std::string& path,
            const pipeline::Scope& names, const std::function<void(const pipeline::Scope&)>& act);

/// Binds one of `params:`, and gives it its name in the binder's scope.
void bind_param(PipelineBinder& binder, const Entry& param);

/// Binds `groups:`.
void bind_groups(PipelineBinder& binder, const Node& groups);
/// The groups of `devices`, a word or a list of ids, of a step; all devices without it.
[[nodiscard]] pipeline::DeviceGroups bind_devices(PipelineBinder& binder, const Node& step,
                                                  const std::string& path,
                                                  const pipeline::Scope& names);

/// Binds `tensors:`; `steps:` likewise, with the programs among them.
void bind_tensors(PipelineBinder& binder, const Node& tensors);
void bind_steps(PipelineBinder& binder, const Node& steps, const Node& defaults);
/// Binds the parameters of a step's op: its own `set:` over that of the run file for all steps of
/// the op.
void bind_parameters(PipelineBinder& binder, const Node& step, const Node& defaults,
                     const std::string& path, const pipeline::Scope& names,
                     pipeline::PipelineStep& spec);
/// Refuses values that the command line gives `set:` and that every step of the op overrides.
void judge_overridden_defaults(PipelineBinder& binder);
/// Refuses what `set:` of the run file has for no op, or for no parameter of one.
void refuse_unknown_defaults(const PipelineBinder& binder, const Node& defaults);
/// Binds `workspaces:`, behind the steps whose outputs it names.
void bind_workspaces(PipelineBinder& binder, const Node& workspaces);

/// Binds `report:`.
void bind_report(PipelineBinder& binder, const Node& report);

/// The step that stands for a part of `whole`, its parameters bound; nothing if they are refused.
[[nodiscard]] std::optional<pipeline::PipelineStep> bind_part(PipelineBinder& binder,
                                                              const pipeline::PipelineStep& whole,
                                                              const ops::PartStep& part);

/// The op of a `program:` step.
[[nodiscard]] std::shared_ptr<const ops::Op> bind_program(PipelineBinder& binder, const Node& step,
                                                          const std::string& path,
                                                          const pipeline::PipelineStep& spec,
                                                          const pipeline::Scope& names);

/// Infers the operands of every step and judges contracts and rules; steps of an op made of others
/// give way to its parts.
void plan_steps(PipelineBinder& binder);

}  // namespace tessera::config
