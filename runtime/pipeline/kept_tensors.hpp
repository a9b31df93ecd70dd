// SPDX-License-Identifier: Apache-2.0
// The tensors that a run leaves in files: its outputs, and those that outlive it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/placed_tensors.hpp"
#include "runtime/pipeline/tensor_values.hpp"

namespace tessera::pipeline {

/// What a file of outputs holds: `d<i>.NAME` of each device, or NAME alone where every device holds
/// the same; float32 for block formats.
[[nodiscard]] std::vector<TensorDeclaration> output_tensors(const config::LoadedRun& loaded);
/// The persistent tensors that steps use: `d<i>.NAME` of each device if each has its own, else the
/// whole under NAME, put together if it is split.
[[nodiscard]] std::vector<TensorDeclaration> state_tensors(const config::LoadedRun& loaded);

/// Appends those of a step's outputs that output_tensors() declares and no later step writes again.
void write_outputs(const PipelineSpec& pipeline, const PipelineStep& step,
                   const PlacedTensors& tensors, const Session& session, SafetensorsWriter& file);

/// Appends what state_tensors() declares, as the run's end finds it on the devices.
void write_state(const PipelineSpec& pipeline, const PlacedTensors& tensors,
                 const TensorValues& values, const Session& session, SafetensorsWriter& file);

}  // namespace tessera::pipeline
