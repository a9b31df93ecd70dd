// SPDX-License-Identifier: Apache-2.0
// How rows fall on the experts of a pipeline, from what its steps declare: a tensor of counts, one
// for each index of the first axis, and the steps that work on so many rows.
#pragma once

#include <optional>
#include <span>

#include "runtime/pipeline/check_step.hpp"
#include "runtime/pipeline/tensor_values.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::pipeline {

/// Notes the counts that `step` leaves, if its outputs have `valid_rows` among them, and that it
/// works on counted rows, if its operands say so. Experts are numbered by the tensor that splits
/// the weights over devices, where there is one.
void note_expert_load(const PipelineStep& step, std::span<const StepValues> groups,
                      const TensorValues& values, const PipelineSpec& pipeline,
                      std::optional<report::ExpertLoad>& load);

/// "tokens 128, hidden 2048, …": the params; of a pipeline without any, its tensors.
[[nodiscard]] report::PipelineSummary summary_of(const PipelineSpec& pipeline);

}  // namespace tessera::pipeline
