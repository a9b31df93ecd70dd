// SPDX-License-Identifier: Apache-2.0
// The part of a run file that says what runs: `params`, `tensors`, `steps`, `set`, `ops`, `outputs`
// and `seed`, from nodes to a PipelineSpec.
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

/// The keys that bind_pipeline takes out of a run file.
[[nodiscard]] std::vector<std::string_view> pipeline_keys();

/// What a pipeline is bound on.
struct PipelineGround {
    const ArchSpec& arch;
    const MeshSpec& mesh;
    std::filesystem::path file;
};

/// Binds the pipeline's keys, which stand in `root`, and plans it: shapes of all tensors, each
/// step's contract and rules.
///
/// Keys of a param, a tensor or a step resolve below "params.", "tensors.NAME." and "steps.NAME.";
/// a step's parameters, with those of `set:` and their defaults, below "steps.NAME.set.".
/// Errors   none thrown; noted in `binding` if a key is wrong by itself (unknown, with its nearest
///          neighbour; of another type; a name that is nobody's), in `rules` if values do not go
///          together.
[[nodiscard]] pipeline::PipelineSpec bind_pipeline(const Node& root, const PipelineGround& ground,
                                                   Binding& binding, Violations& rules);

/// Puts the values of params that `mesh.shape` names in their place: `shape: [1, ranks]`.
void evaluate_mesh_shape(Node& root);

/// Shapes of a file of inputs as overrides: an extent that the run file gives by a param's name
/// replaces that param. Tensors that the run file does not draw are ignored.
/// Errors   UsageError if two tensors give a param different values.
struct NamedShape {
    std::string name;
    Shape shape;
};
[[nodiscard]] std::vector<Override> params_of_shapes(const Node& root,
                                                     std::span<const NamedShape> shapes,
                                                     const std::string& file);

/// Puts a list of steps, at any depth of repetition, into the form of a map by name, in which
/// overrides find them: "steps.gate.set.k_block".
/// Errors   ConfigError for a step without a name, or a name that stands twice.
void name_steps(Node& root);

}  // namespace tessera::config
