// SPDX-License-Identifier: Apache-2.0
// Tensors that a run writes to files: its outputs, and its persistent tensors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/pipeline/placed_tensors.hpp"
#include "runtime/pipeline/tensor_values.hpp"

namespace tessera::config {
struct LoadedRun;
}

namespace tessera::pipeline {

/// Returns the tensors of a file of outputs: `d<i>.NAME` for each device, or NAME if all devices
/// hold the same; block formats as float32.
[[nodiscard]] std::vector<TensorDeclaration> output_tensors(const config::LoadedRun& loaded);
/// Returns the persistent tensors that steps use: `d<i>.NAME` for each device if devices differ,
/// otherwise the whole tensor as NAME, assembled if it is split.
[[nodiscard]] std::vector<TensorDeclaration> state_tensors(const config::LoadedRun& loaded);

/// Appends those outputs of a step that output_tensors() declares and no later step overwrites.
void write_outputs(const PipelineSpec& pipeline, const PipelineStep& step,
                   const PlacedTensors& tensors, const Session& session, SafetensorsWriter& file);

/// Appends the tensors of state_tensors(), with their values at the end of the run.
void write_state(const PipelineSpec& pipeline, const PlacedTensors& tensors,
                 const TensorValues& values, const Session& session, SafetensorsWriter& file);

}  // namespace tessera::pipeline
