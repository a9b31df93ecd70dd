// SPDX-License-Identifier: Apache-2.0
// What a whole pipeline should give, from its inputs alone: no result of the run is used.
#pragma once

#include <span>

#include "runtime/pipeline/check_step.hpp"
#include "runtime/pipeline/tensor_values.hpp"

namespace tessera::pipeline {

/// Compares what the last step left with the references of all steps, one after another: float32
/// between them, so that nothing is rounded to the formats of the devices on the way. The
/// tolerances of all steps add up.
[[nodiscard]] report::StepCheck check_final(const PipelineStep& last,
                                            std::span<const StepValues> groups,
                                            const config::LoadedRun& loaded,
                                            const TensorValues& values, const VerifySpec& verify);

}  // namespace tessera::pipeline
