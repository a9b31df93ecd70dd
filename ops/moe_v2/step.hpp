// SPDX-License-Identifier: Apache-2.0
// The steps of the pipeline as data: which op, from which tensors to which.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op_spec.hpp"
#include "tessera/run_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::moe_v2 {

enum class StepKind : std::uint8_t {
    PrepareRouting,
    Scatter,
    ToTile,
    Gate,
    Up,
    Silu,
    Mul,
    SiluMul,  ///< in place of Silu and Mul
    Down,
    ToRowMajor,
    LocalReduce,
    AllReduce,
};

/// One launch over all devices.
struct StepPlan {
    StepKind kind = StepKind::PrepareRouting;
    std::string_view name;  ///< "gate"
    const OpSpec* op = nullptr;
    std::string schedule;                  ///< "multi_core, block"
    std::vector<std::string_view> inputs;  ///< names of tensors, in the order the op takes them
    std::vector<std::string_view> outputs;
};

/// The pipeline's steps in order: 11, or 10 with a fused activation.
///
/// Tensors on each device: hidden_states, selected_experts, routing_weights, local_experts (its
/// row of the mapping), gate_weights, up_weights, down_weights, then what the steps make:
///   prepare_routing  num_routed_tokens, routed_tokens, routed_token_weights, token_idx_map
///   scatter          scattered (E/D,T,H)
///   to_tile          scattered_tiles
///   gate, up         gate, up (E/D,T,H')
///   silu, mul        silu, combined (silu_mul: combined)
///   down             down (E/D,T,H)
///   to_row_major     down_rows
///   local_reduce     local (T,H)
///   all_reduce       final (T,H)
/// Source   MoE plan V2, "Complete MoE Pipeline": its steps 0 to 9, each projection and each part
///          of the activation as a launch of its own.
[[nodiscard]] std::vector<StepPlan> plan_steps(const OpsSpec& ops);

/// The pipeline's tensors on one device, by name.
using DeviceTensors = std::map<std::string, DeviceTensor, std::less<>>;

/// A step that has run. Its tensors are on the devices until the observer returns.
struct Step {
    const StepPlan* plan = nullptr;
    std::uint32_t num_cores = 0;     ///< cores that had a kernel, over all devices
    std::uint64_t output_tiles = 0;  ///< tiles of 32×32 that the valid rows of the outputs cover
    LaunchResult launch;
    std::span<const DeviceTensors> devices;
    /// Of each device, for each local expert; known from the first step on.
    std::span<const std::vector<std::uint32_t>> num_routed_tokens;
};

}  // namespace tessera::ops::moe_v2
