// SPDX-License-Identifier: Apache-2.0
// Returns the results of batches that moe_dispatch_batched sent to their tokens, and sums them.
#pragma once

#include <array>
#include <string_view>

#include "ops/op.hpp"
#include "ops/shared/token_exchange/combine.hpp"
#include "ops/shared/token_exchange/operands.hpp"

namespace tessera::ops::moe_combine_batched {

inline constexpr std::array<std::string_view, 1> kSchedules{"all_to_all"};
inline constexpr auto& kInputs = token_exchange::kCombineBatchesInputs;
inline constexpr std::array kOutputs{Operand{"output", "(T, H)", "bfloat16", "ROW_MAJOR"}};

/// Each device sends row i of expert e (i < num_received[e]) to the device that `source` names.
/// That device sums the rows of each of its tokens in the order of slots: weight_0 · y_0 + weight_1
/// · y_1 + …. Products and sums are in fp32, rounded to bfloat16 once. Slots of −1 are skipped; a
/// token without a slot gives zeros. Without `topk_weights` rows are summed without weights.
///
/// `source`, `num_received` and `slots` are outputs of moe_dispatch_batched; devices and `experts`
/// are the same.
inline constexpr OpSpec kSpec{
    .name = "moe_combine_batched",
    .summary = "returns batches of experts to their tokens and sums them with weights over slots",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_combine_batched
