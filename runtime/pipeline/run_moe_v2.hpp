// SPDX-License-Identifier: Apache-2.0
// One run of the MoE V2 pipeline on an emulated mesh, checked and recorded.
#pragma once

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/moe_inputs.hpp"
#include "runtime/pipeline/run_modes.hpp"
#include "runtime/pipeline/step_start.hpp"
#include "runtime/report/run_record.hpp"

namespace tessera::run {

/// Runs the pipeline on the mesh of `loaded` and compares its steps with their references as
/// `verify.level` says. Appends what moe_output_tensors declares to `outputs`, if there is one,
/// without finishing it. Without maths, weights are not made either. Load and total time of the
/// record are the caller's. Errors   UsageError for what does not fit on a device; KernelError for
/// what a kernel did wrong.
///          A result that is too far from its reference is in the record, and no error.
[[nodiscard]] report::RunRecord run_moe_v2(const config::LoadedRun& loaded, const RunModes& modes,
                                           const MoeInputs& inputs, SafetensorsWriter* outputs,
                                           const OnStep& on_step);

}  // namespace tessera::run
