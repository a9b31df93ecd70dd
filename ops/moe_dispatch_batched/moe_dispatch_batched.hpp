// SPDX-License-Identifier: Apache-2.0
// Each token's row to each of its experts: a batch of rows for every expert.
#pragma once

#include <array>
#include <string_view>

#include "ops/op.hpp"
#include "ops/shared/token_exchange/dispatch.hpp"
#include "ops/shared/token_exchange/operands.hpp"

namespace tessera::ops::moe_dispatch_batched {

inline constexpr auto& kInputs = token_exchange::kDispatchInputs;
inline constexpr auto& kOutputs = token_exchange::kBatchesOutputs;

/// As moe_dispatch, but with one row for every slot of a token, in the batch of the slot's expert.
///
/// Received   for expert e (the device's e-th): rows of device 0's tokens first, then device 1's,
///   …, each in token order. Rows after num_received[e] are not written. `source` of a row:
///   (position · T + token) · K + slot.
/// Slots      on the token's own device: e · M + row of the slot's expert; −1 if there is none or
///   the row was dropped. moe_combine_batched returns results by it.
/// Capacity   `capacity` rows per expert (M; 0: D·T, which suffices while no token names an expert
///   twice); with `phases: one` this many rows per sender (M = D·capacity; 0: T).
/// Source   DeepEP's low-latency dispatch and pplx: batches of experts, with a cap of tokens.
inline constexpr OpSpec kSpec{
    .name = "moe_dispatch_batched",
    .summary = "sends rows of tokens to each of their experts, batched by expert",
    .schedules = token_exchange::kDispatchSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_dispatch_batched
