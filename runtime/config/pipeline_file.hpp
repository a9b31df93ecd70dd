// SPDX-License-Identifier: Apache-2.0
// Binds the part of a run file that describes the pipeline (`params`, `tensors`, `steps`, `set`,
// `ops`, `outputs` and `seed`) to a PipelineSpec.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/config/bind.hpp"
#include "runtime/config/override.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"

namespace tessera::config {

/// Returns the keys of a run file that bind_pipeline binds.
[[nodiscard]] std::vector<std::string_view> pipeline_keys();

/// Machine and file of a pipeline, which names in expressions and paths refer to.
struct PipelineTarget {
    const ArchSpec& arch;
    const MeshSpec& mesh;
    std::filesystem::path file;
};

/// Binds the pipeline's keys in `root` and plans it: shapes of all tensors, each step's contract
/// and rules.
///
/// Keys of a param, a tensor or a step resolve below "params.", "tensors.NAME." and "steps.NAME.";
/// a step's parameters, with those of `set:` and their defaults, below "steps.NAME.set.".
/// Errors   none thrown; recorded in `binding` if a key is wrong by itself (an unknown key, another
///          type, an unknown name), in `rules` if values contradict each other.
[[nodiscard]] pipeline::PipelineSpec bind_pipeline(const Node& root, const PipelineTarget& target,
                                                   Binding& binding, Violations& rules);

/// Returns the params whose expressions do not use the mesh; the others are bound later.
[[nodiscard]] pipeline::Scope params_without_mesh(const Node& root);

/// Replaces params in `mesh.shape` by their values: `shape: [1, ranks]`. Returns their names.
[[nodiscard]] std::vector<std::string> evaluate_mesh_shape(Node& root);

/// Shape of a tensor in a file of inputs.
struct NamedShape {
    std::string name;
    Shape shape;
};
/// Returns overrides of params from the tensors of a file of inputs.
/// - An extent that the run file states as a param's name, or as `name / number`, sets that param,
///   unless the param follows from others (`follows:`).
/// - A param with `present: NAME` is 1 if the file has a tensor of that name.
///
/// Tensors whose `when` is false are ignored. The first tensor with the param decides; other
/// tensors are checked when they are read. Names of tensors may contain params and ${device}, which
/// is 0 here.
[[nodiscard]] std::vector<Override> params_of_shapes(const Node& root,
                                                     std::span<const NamedShape> shapes,
                                                     const std::string& file);

/// Turns a list of steps, at any depth of repetition, into a map by name, so that overrides can
/// address them: "steps.gate.set.k_block".
/// Errors   ConfigError for a step without a name, or a duplicate name.
void name_steps(Node& root);

}  // namespace tessera::config
