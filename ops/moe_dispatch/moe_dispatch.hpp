// SPDX-License-Identifier: Apache-2.0
// Sends each token's row to the devices that hold its experts, once per device.
#pragma once

#include <array>
#include <string_view>

#include "ops/op.hpp"
#include "ops/shared/token_exchange/dispatch.hpp"
#include "ops/shared/token_exchange/operands.hpp"

namespace tessera::ops::moe_dispatch {

inline constexpr auto& kInputs = token_exchange::kDispatchInputs;
inline constexpr auto& kOutputs = token_exchange::kRowsOutputs;

/// Each device has T tokens with K ids of experts over all devices, −1 for none. Device p of the
/// group (any devices of a mesh) has experts [p·E/D, (p+1)·E/D). Every device with an expert of a
/// token receives its row once.
///
/// Received   rows of device 0's tokens first, then device 1's, …, each in token order. Rows after
///   `num_received` are not written. Row i has `source` = (device's position, token).
///   `received_ids` has the token's id of a slot if the expert is on this device, else −1;
///   `received_weights` has the weight, else 0.
/// Slots      on the token's own device: index of the row on the slot's device; −1 if the slot has
///   no expert or the row was dropped. moe_combine returns results by it.
/// Capacity   `capacity` rows per device (0: D·T, which always suffices); with `phases: one` this
///   many rows per sender (0: T). A row beyond it ends the run in the receiver's control kernel
///   (ASSERT), or is dropped with `overflow: drop`.
/// Phases     in the first phase ids and weights of all tokens go to all devices. One core per
///   device processes them in the order of devices, so that every core knows the destinations of
///   its rows. In the second phase rows go directly to their destinations, in packets of at most
///   one row. The counts are not known on the host. With one phase, rows do not wait for the
///   tables: they go to the part of the receiver that is reserved for the sender. The receiver
///   copies them to their final positions when it has the counts. Both forms give the same rows.
/// Source   DeepEP's high-throughput dispatch: one row a device, received in the order of devices.
inline constexpr OpSpec kSpec{
    .name = "moe_dispatch",
    .summary = "sends rows of tokens to the devices of their experts, once per device",
    .schedules = token_exchange::kDispatchSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_dispatch
