// SPDX-License-Identifier: Apache-2.0
// Reference of a whole pipeline, from its inputs only: no result of the run is used.
#pragma once

#include <span>

#include "runtime/pipeline/check_step.hpp"
#include "runtime/pipeline/tensor_values.hpp"

namespace tessera::pipeline {

/// Compares the last step's outputs with the references of all steps, run one after another. Values
/// between steps are float32, so that they are not rounded to the devices' formats. The tolerances
/// of all steps add up.
[[nodiscard]] report::StepCheck check_final(const PipelineStep& last,
                                            std::span<const StepValues> groups,
                                            const config::LoadedRun& loaded,
                                            const TensorValues& values, const VerifySpec& verify);

}  // namespace tessera::pipeline
