// SPDX-License-Identifier: Apache-2.0
// Results of ops' references for tensors that the test owns.
#pragma once

#include <cstddef>
#include <vector>

#include "ops/op.hpp"
#include "tests/arch_fixture.hpp"
#include "tests/ops/held_values.hpp"

namespace tessera::testing {

/// Moves the first rows of each expert to their places, with zeros after them. `packed` holds them
/// contiguously.
inline HostTensor spread_rows(const HostTensor& packed, const std::vector<std::uint32_t>& counts) {
    HostTensor whole = make_host_tensor(packed.shape, packed.format);
    const std::size_t row = whole.bytes.size() / whole.shape.at(0) / whole.shape.at(1);
    auto from = packed.bytes.begin();
    for (std::size_t expert = 0; expert < counts.size(); ++expert) {
        const auto end = from + static_cast<std::ptrdiff_t>(counts[expert] * row);
        std::copy(from, end,
                  whole.bytes.begin() + static_cast<std::ptrdiff_t>(expert * whole.shape[1] * row));
        from = end;
    }
    return whole;
}

/// Returns the outputs of `op` on one device. Rows beyond an output's counts of valid rows are
/// zero.
inline std::vector<HostTensor> references_of(const ops::Op& op, ops::ParameterRef parameters,
                                             const std::vector<HostTensor>& inputs) {
    const ArchSpec arch = test_arch();
    const MeshSpec mesh;
    constexpr std::uint32_t kDevice = 0;
    std::vector<ops::TensorPlan> plans;
    std::vector<std::vector<HostTensor>> held;
    for (const HostTensor& input : inputs) {
        const bool is_tiled = op.spec.inputs[plans.size()].layout == "TILE";
        plans.push_back(
            {.spec = {input.shape, input.format, is_tiled ? Layout::TILE : Layout::ROW_MAJOR}});
        held.push_back({input});
    }
    std::vector<TensorSpec> specs;
    for (const ops::TensorPlan& plan : op.infer({.arch = arch,
                                       .mesh = mesh,
                                       .devices = {&kDevice, 1},
                                       .parameters = parameters,
                                       .inputs = plans})) {
        specs.push_back(plan.spec);
    }
    const HeldStep step(parameters, held, specs);
    std::vector<HostTensor> outputs = op.reference(step.at());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const std::string_view counts = op.spec.outputs[i].valid_rows;
        if (num_elements(outputs[i].shape) * element_bytes(outputs[i].format) !=
            outputs[i].bytes.size()) {
            const auto found = std::ranges::find(op.spec.inputs, counts, &ops::Operand::name);
            const HostTensor& values =
                inputs.at(static_cast<std::size_t>(found - op.spec.inputs.begin()));
            const auto rows = values.as<std::uint32_t>();
            outputs[i] = spread_rows(outputs[i], {rows.begin(), rows.end()});
        }
    }
    return outputs;
}

/// Returns the only output of `op`.
inline HostTensor reference_of(const ops::Op& op, ops::ParameterRef parameters,
                               const std::vector<HostTensor>& inputs) {
    return references_of(op, parameters, inputs).at(0);
}

/// Returns counts of rows in the ops' form, (E,1) uint32.
inline HostTensor counts_tensor(const std::vector<std::uint32_t>& counts) {
    HostTensor tensor =
        make_host_tensor({static_cast<std::uint32_t>(counts.size()), 1}, DataFormat::UInt32);
    std::ranges::copy(counts, tensor.as<std::uint32_t>().begin());
    return tensor;
}

}  // namespace tessera::testing
