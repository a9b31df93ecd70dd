// SPDX-License-Identifier: Apache-2.0
// Generated routing of a MoE layer: which experts each token selects, with which weights, and
// which device holds which expert. Functions of the workload's seed alone.
#pragma once

#include <cstdint>

#include "tessera/run_spec.hpp"
#include "tessera/tensor.hpp"

namespace tessera {

/// Draws `selected_experts`, (T, K) uint32, no expert twice in a row.
///
/// Uniform      any K experts.
/// Zipf         without replacement, the expert of rank r with weight 1/(r+1)^exponent; ranks are
///              dealt to experts at random.
/// OneExpert    expert 0 first, then any of the others.
/// HotAndEmpty  max(1, min(K/2, E/16)) hot experts first, which every token selects; then any of
///              the rest but E/4 experts (fewer if K needs them), which no token selects.
///
/// Errors   UsageError if K is 0 or above E, or the Zipf exponent is negative or not finite.
[[nodiscard]] HostTensor make_selected_experts(const WorkloadSpec& workload);

/// Draws `routing_weights`, (T, K) bfloat16, from normal scores: softmax over a row (sum 1), or
/// sigmoid divided by the row's sum and scaled by 2.5, as DeepSeek-V3 does.
/// Errors   UsageError if K is 0.
[[nodiscard]] HostTensor make_routing_weights(const WorkloadSpec& workload);

/// `device_expert_mapping`, (D, E/D) int32: row d holds the global ids of device d's experts.
/// Contiguous: d·E/D + i. RoundRobin: i·D + d. Permuted: a random permutation cut into rows.
/// Errors   UsageError if the devices do not divide the experts.
[[nodiscard]] HostTensor make_device_expert_mapping(const WorkloadSpec& workload,
                                                    std::uint32_t num_devices);

}  // namespace tessera
