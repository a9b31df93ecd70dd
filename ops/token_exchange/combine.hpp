// SPDX-License-Identifier: Apache-2.0
// Host side of the ops that bring experts' results back to their tokens: moe_combine, of rows, and
// moe_combine_batched, of batches.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/token_exchange/dispatch.hpp"

namespace tessera::ops::token_exchange {

struct CombineSpec {
    std::uint32_t experts = 0;                 ///< E, over all devices
    std::uint32_t links = kLinksPerDirection;  ///< of each direction
};

inline constexpr std::array kCombineFields{
    config::field<&CombineSpec::experts>("experts", config::kRequired,
                                         "over all devices, as many on each", kExperts),
    config::field<&CombineSpec::links>("links", "4", "links of each direction",
                                       config::Limits{1, kLinksPerDirection}),
};

/// Inputs of both forms: rows, source, num_received, slots, then topk_ids (Rows) or topk_weights
/// (Batches; may be left out).
void judge_combine(const OpContext& context, Form form, RuleJudge& judge);
[[nodiscard]] std::vector<TensorPlan> infer_combine(const OpContext& context);
/// Contributions to the device's tokens: (T·D, H) by token and rank, or (T·K, H) by token and slot.
[[nodiscard]] std::vector<TensorPlan> combine_workspaces(const OpContext& context, Form form);
[[nodiscard]] std::vector<DeviceProgram> combine_programs(const OpContext& context, Form form);
/// bfloat16, bit for bit: products and sums rounded to fp32 in the declared order.
[[nodiscard]] std::vector<HostTensor> combine_reference(const ReferenceContext& context, Form form);

}  // namespace tessera::ops::token_exchange
