// SPDX-License-Identifier: Apache-2.0
// The one comparer: what a step left on its devices against the op's reference.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ops/op.hpp"
#include "runtime/report/run_record.hpp"
#include "runtime/steps/pipeline_spec.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {

/// A step's operands on one group of devices.
struct StepValues {
    std::span<const std::uint32_t> devices;
    /// [operand][position].
    std::vector<std::vector<std::shared_ptr<const ops::OperandValues>>> inputs;
    std::vector<std::vector<std::shared_ptr<const ops::OperandValues>>> outputs;
};

/// The counts of an operand with `valid_rows`, on the device at `position`; nothing if all of it
/// counts.
[[nodiscard]] std::vector<std::uint32_t> counts_of(const PipelineStep& step,
                                                   const StepValues& values,
                                                   const ops::Operand& operand,
                                                   std::size_t position);

/// Compares the outputs with the op's reference of the step's own inputs, over all groups together.
///
/// Only elements that count are compared (Operand::valid_rows). Where the op's tolerance is exact
/// every byte must be the reference's; elsewhere each output keeps to tolerance_of(), by the rules
/// of tensor_compare.hpp. Outputs of which every device must hold the same bytes are compared on
/// the first, and the others with it. A comparison in which no finite number was compared is no
/// pass, unless all are infinities that agree. NaN of the outputs are noted whatever the verdict
/// is.
[[nodiscard]] report::StepCheck check_step(const PipelineStep& step,
                                           std::span<const StepValues> groups,
                                           const VerifySpec& verify);
/// The same with a tolerance of each output, by its index.
[[nodiscard]] report::StepCheck check_step(
    const PipelineStep& step, std::span<const StepValues> groups,
    const std::function<CloseTolerance(std::size_t output)>& tolerance);

/// NaN in the elements that count of a step's outputs; for steps that are not compared.
[[nodiscard]] std::vector<report::NanNote> nans_of_outputs(const PipelineStep& step,
                                                           std::span<const StepValues> groups);

/// The reference's outputs on the device at `position`.
[[nodiscard]] std::vector<HostTensor> reference_of(const PipelineStep& step,
                                                   const StepValues& values, std::size_t position);

}  // namespace tessera::pipeline
