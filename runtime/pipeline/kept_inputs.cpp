// SPDX-License-Identifier: Apache-2.0
#include "runtime/pipeline/kept_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tessera/tensor_compare.hpp"

namespace tessera::pipeline {
namespace {

bool is_output(const std::string& name, std::span<const PipelineStep> launched) {
    return std::ranges::any_of(launched, [&](const PipelineStep& step) {
        return std::ranges::find(step.outputs, name, &StepOutput::name) != step.outputs.end();
    });
}

/// Returns the first element that differs; the number of elements if all are equal.
std::size_t first_difference(const HostTensor& before, const HostTensor& after) {
    const std::size_t elements = num_elements(before.shape);
    const auto [one, other] = std::ranges::mismatch(before.bytes, after.bytes);
    const auto byte = static_cast<std::size_t>(one - before.bytes.begin());
    return byte == before.bytes.size() ? elements : byte / (before.bytes.size() / elements);
}

}  // namespace

KeptInputs::KeptInputs(const Session& session, const PipelineStep& step, const PlacedStep& placed,
                       std::span<const PipelineStep> launched, OwnKernels own) {
    for (std::size_t operand = 0; operand < step.inputs.size(); ++operand) {
        const bool may_change = is_output(step.inputs[operand], launched);
        // Tests show that kernels of Tessera's ops write only to outputs; a user's kernel may have
        // a wrong address.
        if (!may_change && own == OwnKernels::No) {
            continue;
        }
        Operand& kept = operands_[operand];
        kept.may_change = may_change;
        for (const DeviceTensor& tensor : placed.inputs[operand]) {
            kept.values.push_back(std::make_shared<const HostValues>(session.read(tensor)));
        }
    }
}

void KeptInputs::replace(
    std::vector<std::vector<std::shared_ptr<const ops::OperandValues>>>& inputs) const {
    for (const auto& [operand, kept] : operands_) {
        inputs[operand].assign(kept.values.begin(), kept.values.end());
    }
}

std::string KeptInputs::first_change(const Session& session, const PipelineStep& step,
                                     const PlacedStep& placed,
                                     std::span<const std::uint32_t> devices) const {
    for (const auto& [operand, kept] : operands_) {
        for (std::size_t i = 0; !kept.may_change && i < kept.values.size(); ++i) {
            const HostTensor before = kept.values[i]->all();
            const HostTensor after = session.read(placed.inputs[operand][i]);
            const std::size_t at = first_difference(before, after);
            if (at < num_elements(before.shape)) {
                return fmt::format(
                    "the step changed its input {} on device {}, first at {}; allowed: changes of "
                    "outputs. A kernel writes to a wrong address",
                    step.inputs[operand], devices[i], position_in(before.shape, at));
            }
        }
    }
    return "";
}

}  // namespace tessera::pipeline
