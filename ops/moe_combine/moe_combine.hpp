// SPDX-License-Identifier: Apache-2.0
// Returns the results of rows that moe_dispatch sent to their tokens, and sums them.
#pragma once

#include <array>
#include <string_view>

#include "ops/op.hpp"
#include "ops/shared/token_exchange/combine.hpp"
#include "ops/shared/token_exchange/operands.hpp"

namespace tessera::ops::moe_combine {

inline constexpr std::array<std::string_view, 1> kSchedules{"all_to_all"};
inline constexpr auto& kInputs = token_exchange::kCombineRowsInputs;
inline constexpr std::array kOutputs{Operand{"output", "(T, H)", "bfloat16", "ROW_MAJOR"}};

/// Each device sends row i (i < num_received) to the device that `source` names. That device sums
/// the rows of each of its tokens: over the devices in the order of their positions, in fp32,
/// rounded to bfloat16 once. A token that no device has received gives zeros. The experts apply the
/// weights: a row is already the sum over the device's experts.
///
/// `source`, `num_received` and `slots` are outputs of moe_dispatch, `topk_ids` its input; devices
/// and `experts` are the same.
inline constexpr OpSpec kSpec{
    .name = "moe_combine",
    .summary = "returns rows of experts to their tokens and sums them over the devices",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_combine
