// SPDX-License-Identifier: Apache-2.0
// One run of a pipeline of one op, on every device of an emulated mesh, checked and recorded.
#pragma once

#include <vector>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/run_modes.hpp"
#include "runtime/pipeline/step_start.hpp"
#include "runtime/report/run_record.hpp"

namespace tessera::run {

/// What an output file holds: d<i>.output of each device; float32 for block formats.
[[nodiscard]] std::vector<TensorDeclaration> op_output_tensors(const config::LoadedRun& loaded);

/// Places tensors drawn from the seed on each device, launches the op on all devices together and
/// compares as `verify.level` says. Appends what op_output_tensors declares to `outputs`, if there
/// is one, without finishing it. Without maths, inputs are not drawn either. Load and total time of
/// the record are the caller's. Errors   UsageError for what does not fit on a device; KernelError
/// for what a kernel did wrong.
///          A result that is too far from its reference is in the record, and no error.
[[nodiscard]] report::RunRecord run_op(const config::LoadedRun& loaded, const RunModes& modes,
                                       SafetensorsWriter* outputs, const OnStep& on_step);

}  // namespace tessera::run
