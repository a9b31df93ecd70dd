// SPDX-License-Identifier: Apache-2.0
// Distribution of rows over the experts of a pipeline, from declarations of its steps: a tensor
// with one count for each index of the first axis, and the steps that process so many rows.
#pragma once

#include <optional>
#include <span>

#include "runtime/pipeline/check_step.hpp"
#include "runtime/pipeline/tensor_values.hpp"
#include "runtime/report/timing/timing_report.hpp"

namespace tessera::pipeline {

/// Records the counts that `step` writes, if they are the `valid_rows` of an operand. Otherwise
/// records that the step processes counted rows, if an operand says so. Experts have the numbers of
/// the tensor that splits the weights over devices, if there is one.
void note_expert_load(const PipelineStep& step, std::span<const StepValues> groups,
                      const TensorValues& values, const PipelineSpec& pipeline,
                      std::optional<report::ExpertLoad>& load);

/// Returns the params ("tokens 128, hidden 2048, …"), or the tensors of a pipeline without params.
[[nodiscard]] report::PipelineSummary summary_of(const PipelineSpec& pipeline);

}  // namespace tessera::pipeline
