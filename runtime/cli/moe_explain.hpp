// SPDX-License-Identifier: Apache-2.0
// tessera moe explain: which parts the MoE layers of a run have, and why.
#pragma once

#include <string>

#include "runtime/cli/command.hpp"
#include "runtime/steps/pipeline_spec.hpp"

namespace tessera::cli {

/// Layers of a run to explain.
enum class ExplainedLayers : std::uint8_t {
    All,
    Auto,  ///< those with a part that the run file leaves open
};

/// Returns for each layer its size, then a line for each of its three parts with the reason.
[[nodiscard]] std::string explain_layers(const pipeline::PipelineSpec& pipeline,
                                         ExplainedLayers layers);

/// Adds the subcommand to `moe`. The console must outlive the command.
[[nodiscard]] Command add_moe_explain(CLI::App& moe, Console& console);

}  // namespace tessera::cli
