// SPDX-License-Identifier: Apache-2.0
// Reference of a whole pipeline, from its inputs only: no result of the run is used.
#pragma once

#include <span>

#include "runtime/pipeline/check_step.hpp"
#include "runtime/pipeline/tensor_values.hpp"

namespace tessera::config {
struct LoadedRun;
}

namespace tessera::pipeline {

/// Checks that references of all steps, run one after another, state the last step's outputs.
/// Errors   UsageError naming the first step that ends the chain: it has no reference; its reference
///          leaves rows open or changes a part of a tensor; or it makes whole numbers from rounded
///          ones, which may differ by more than a rounding.
void require_chain(const PipelineSpec& pipeline);

/// Compares the last step's outputs with the references of all steps, run one after another. Values
/// between steps are float32, so that they are not rounded to the devices' formats. The tolerances
/// of all steps add up.
[[nodiscard]] report::StepCheck check_final(const PipelineStep& last,
                                            std::span<const StepValues> groups,
                                            const config::LoadedRun& loaded,
                                            const TensorValues& values, const VerifySpec& verify);

}  // namespace tessera::pipeline
