// SPDX-License-Identifier: Apache-2.0
// The only comparison of results: outputs of a step on its devices against the op's reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ops/op.hpp"
#include "runtime/pipeline/placed_tensors.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {

/// Operands of a step on one group of devices.
struct StepValues {
    std::span<const std::uint32_t> devices;
    /// [operand][position].
    std::vector<std::vector<std::shared_ptr<const ops::OperandValues>>> inputs;
    std::vector<std::vector<std::shared_ptr<const ops::OperandValues>>> outputs;
};

/// Returns the counts of valid rows of an operand on the device at `position`; nothing if the whole
/// operand is valid.
[[nodiscard]] std::vector<std::uint32_t> counts_of(const PipelineStep& step,
                                                   const StepValues& values,
                                                   const ops::Operand& operand,
                                                   std::size_t position);

/// Compares the outputs with the op's reference of the step's own inputs, over all groups together.
///
/// Compares valid elements only (Operand::valid_rows):
///   - if the op's tolerance is exact, every byte must equal the reference's;
///   - otherwise each output must meet tolerance_of(), by the rules of tensor_compare.hpp;
///   - an output that all devices must hold alike is compared on the first device, and the other
///     devices with the first;
///   - a comparison without any finite number fails, unless all are infinities that agree.
/// NaN of the outputs are counted whatever the verdict is.
[[nodiscard]] report::StepCheck check_step(const PipelineStep& step,
                                           std::span<const StepValues> groups,
                                           const VerifySpec& verify);
/// Compares as above, with a tolerance for each output index.
[[nodiscard]] report::StepCheck check_step(
    const PipelineStep& step, std::span<const StepValues> groups,
    const std::function<CloseTolerance(std::size_t output)>& tolerance);

/// Returns the counts NaN in the valid elements of a step's outputs, for steps that are not
/// compared.
[[nodiscard]] std::vector<report::NanNote> nans_of_outputs(const PipelineStep& step,
                                                           std::span<const StepValues> groups);

/// Checks operands by the rules of the step's op about values.
/// Errors   UsageError that ends with the step's name: several steps may be of one op.
void check_values(const PipelineStep& step, const ops::ReferenceContext& context);

/// Checks the values of a step's operands that earlier steps made, before the launch that reads
/// them. `launched` are the steps of that launch; an operand that one of them makes is not checked.
/// Errors   UsageError that ends with the names of step and tensor, for values that the op does not accept.
void check_made_values(const PipelineSpec& pipeline, std::span<const PipelineStep> launched,
                       const PipelineStep& step, const PlacedStep& placed, const Session& session);

/// Returns the reference's outputs on the device at `position`.
[[nodiscard]] std::vector<HostTensor> reference_of(const PipelineStep& step,
                                                   const StepValues& values, std::size_t position);

}  // namespace tessera::pipeline
