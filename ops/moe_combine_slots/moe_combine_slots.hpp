// SPDX-License-Identifier: Apache-2.0
// Returns the results of batches that moe_dispatch_batched sent to the slots of their tokens.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "ops/op.hpp"
#include "ops/shared/token_exchange/combine.hpp"
#include "ops/shared/token_exchange/operands.hpp"

namespace tessera::ops::moe_combine_slots {

inline constexpr std::array<std::string_view, 1> kSchedules{"all_to_all"};
/// Inputs of a combine of batches without the weights.
inline constexpr std::span<const Operand> kInputs{
    token_exchange::kCombineBatchesInputs.data(),
    place_of(token_exchange::kCombineBatchesInputs, "topk_weights")};
inline constexpr std::array kOutputs{Operand{"output", "(T, K, H)", "bfloat16", "ROW_MAJOR"}};

/// As moe_combine_batched without the sum: output[t,k] is the row that the expert of slot k
/// computed for token t. Nothing is written for a slot of −1. moe_sum weights and adds the rows,
/// with these `slots` as its table of rows (`rows: presence`).
inline constexpr OpSpec kSpec{
    .name = "moe_combine_slots",
    .summary = "returns batches of experts to the slots of their tokens without a sum",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_combine_slots
