// SPDX-License-Identifier: Apache-2.0
// One run of whatever pipeline its configuration names.
#pragma once

#include <vector>

#include "emu/base/tensor_file/safetensors_writer.hpp"
#include "runtime/config/load.hpp"
#include "runtime/pipeline/moe_inputs.hpp"
#include "runtime/pipeline/run_modes.hpp"
#include "runtime/pipeline/step_start.hpp"
#include "runtime/report/run_record.hpp"

namespace tessera::run {

/// Where a run's tensors come from and go to, and who is told of its steps; each may be empty.
struct RunEnds {
    const MoeInputs* inputs = nullptr;     ///< of moe_v2; without, they are drawn from the seed
    SafetensorsWriter* outputs = nullptr;  ///< takes what output_tensors declares
    OnStep on_step;
};

/// What an output file of the run holds.
[[nodiscard]] std::vector<TensorDeclaration> output_tensors(const config::LoadedRun& loaded);

/// Runs the workload and records its steps. Load and total time of the record are the caller's.
/// Errors   UsageError for what does not fit on a device; KernelError for what a kernel did wrong.
///          A result that is too far from its reference is in the record, and no error.
[[nodiscard]] report::RunRecord run_workload(const config::LoadedRun& loaded,
                                             const RunModes& modes = {}, const RunEnds& ends = {});

}  // namespace tessera::run
