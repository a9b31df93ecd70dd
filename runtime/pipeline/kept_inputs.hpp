// SPDX-License-Identifier: Apache-2.0
// Values of a step's inputs from before its launch.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/pipeline/operand_values.hpp"
#include "runtime/pipeline/placed_tensors.hpp"

namespace tessera::pipeline {

/// Kernels of a step that no test of Tessera has seen, so that a wrong address may reach an input.
enum class OwnKernels : std::uint8_t { No, Yes };

/// Inputs of one step on one group of devices.
///
/// A launch may overwrite inputs of its steps: as `in: [x], out: [x]` does, or by a mistake in a
/// kernel. The reference needs the values that the kernels were given.
class KeptInputs {
public:
    /// Reads the inputs that steps of the launch declare as outputs; with the user's own kernels,
    /// all inputs.
    KeptInputs(const Session& session, const PipelineStep& step, const PlacedStep& placed,
               std::span<const PipelineStep> launched, OwnKernels own);
    KeptInputs() = default;

    /// Puts the values in place of those on the devices.
    void replace(std::vector<std::vector<std::shared_ptr<const ops::OperandValues>>>& inputs) const;
    /// Returns a line about the first input that the launch changed although no step declares it as
    /// an output; empty if there is none.
    [[nodiscard]] std::string first_change(const Session& session, const PipelineStep& step,
                                           const PlacedStep& placed,
                                           std::span<const std::uint32_t> devices) const;

private:
    struct Operand {
        std::vector<std::shared_ptr<const HostValues>> values;  ///< by place in the group
        bool may_change = false;
    };
    std::map<std::size_t, Operand> operands_;
};

}  // namespace tessera::pipeline
