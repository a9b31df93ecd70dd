// SPDX-License-Identifier: Apache-2.0
// From a step of the plan to the ops' specs and programs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ops/moe_v2/step.hpp"

namespace tessera::ops::moe_v2 {

/// Specs of the step's outputs on one device, in the order of `plan.outputs`.
[[nodiscard]] std::vector<TensorSpec> output_specs(const StepPlan& plan,
                                                   const DeviceTensors& tensors);

/// What programs are built from, besides the tensors.
struct ProgramContext {
    const ArchSpec& arch;
    const MeshSpec& mesh;
    const OpsSpec& ops;
    std::span<const std::vector<std::uint32_t>> num_routed_tokens;  ///< by device
};

/// One program for each device; inputs and outputs stand in `devices` under the plan's names.
[[nodiscard]] std::vector<DeviceProgram> make_programs(const StepPlan& plan,
                                                       const ProgramContext& context,
                                                       std::span<const DeviceTensors> devices);

}  // namespace tessera::ops::moe_v2
