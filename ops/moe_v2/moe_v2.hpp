// SPDX-License-Identifier: Apache-2.0
// One MoE layer, V2, over all devices of a mesh: routing tables to the summed output.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ops/moe_v2/moe_inputs.hpp"
#include "ops/moe_v2/step.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/session.hpp"

namespace tessera::ops::moe_v2 {

/// Called around each launch; either may be empty.
struct Observer {
    /// `number` counts from 1.
    std::function<void(const StepPlan& plan, std::uint32_t number, std::uint32_t num_steps)> before;
    /// The step's inputs and outputs may be read here.
    std::function<void(const Step& step)> after;
};

/// Which tensors stay on the devices: those that a later step reads and the result, or all.
enum class Keep : std::uint8_t { UntilLastUse, All };

/// Checks the inputs, places them on the devices of `session` (hidden states and routing on each,
/// weights in TILE layout where their experts are), and runs the steps of plan_steps, each as one
/// launch over all devices.
///
/// Returns the tensors that are still on each device: "final" among them, in DRAM of the session.
///
/// Errors   UsageError as check_inputs says, if DRAM does not hold a tensor, or if a schedule does
///          not fit; KernelError for what a kernel does wrong. Only the latter, and tensors that
///          steps make, come after the first launch.
std::vector<DeviceTensors> run(Session& session, const MoeInputs& inputs, const OpsSpec& ops,
                               const Observer& observer = {}, Keep keep = Keep::UntilLastUse);

}  // namespace tessera::ops::moe_v2
