// SPDX-License-Identifier: Apache-2.0
// Host side of the ops that send each token's row to the devices of its experts: moe_dispatch, by
// rows, and moe_dispatch_batched, by batches of experts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::ops::token_exchange {

/// What happens to rows beyond the capacity of their receiver. Fail: its control kernel's ASSERT
/// ends the run. Drop: they are not sent, and their slots are −1.
enum class Overflow : std::uint8_t { Fail, Drop };

struct DispatchSpec {
    std::uint32_t experts = 0;   ///< E, over all devices; device p has [p·E/D, (p+1)·E/D)
    std::uint32_t capacity = 0;  ///< M, rows of a device or of an expert; 0: D·T
    Overflow overflow = Overflow::Fail;
    std::uint32_t links = kLinksPerDirection;  ///< of each direction
};

/// Rows: a device receives a token once. Batches: an expert receives it for every slot.
enum class Form : std::uint8_t { Rows, Batches };

}  // namespace tessera::ops::token_exchange

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::token_exchange::Overflow>{
    EnumName<ops::token_exchange::Overflow>{"fail", ops::token_exchange::Overflow::Fail},
    EnumName<ops::token_exchange::Overflow>{"drop", ops::token_exchange::Overflow::Drop},
};

}  // namespace tessera::config

namespace tessera::ops::token_exchange {

inline constexpr config::Limits kExperts{1, 65536};
inline constexpr config::Limits kCapacity{0, 1048576};

inline constexpr std::array kDispatchFields{
    config::field<&DispatchSpec::experts>("experts", config::kRequired,
                                          "over all devices, as many on each", kExperts),
    config::field<&DispatchSpec::capacity>(
        "capacity", "0", "rows that a receiver (device or expert) has; 0: of all tokens",
        kCapacity),
    config::field<&DispatchSpec::overflow>("overflow", "fail",
                                           "rows beyond the capacity end the run, or are dropped"),
    config::field<&DispatchSpec::links>("links", "4", "links of each direction",
                                        config::Limits{1, kLinksPerDirection}),
};

/// M: rows of a receiver.
[[nodiscard]] std::uint32_t most_rows(const OpContext& context);

void judge_dispatch(const OpContext& context, Form form, RuleJudge& judge);
/// Rows: received, received_ids, received_weights, source, num_received, slots[, received_scales].
/// Batches: received, source, num_received, slots[, received_scales].
[[nodiscard]] std::vector<TensorPlan> infer_dispatch(const OpContext& context, Form form);
/// The routing tables of all ranks.
[[nodiscard]] std::vector<TensorPlan> dispatch_workspaces(const OpContext& context);
[[nodiscard]] std::vector<DeviceProgram> dispatch_programs(const OpContext& context, Form form);
[[nodiscard]] std::vector<HostTensor> dispatch_reference(const ReferenceContext& context,
                                                         Form form);
/// Errors   UsageError for an id that is neither −1 nor below the number of experts.
void check_ids(std::string_view op, const ReferenceContext& context, std::size_t operand,
               std::uint32_t experts);

}  // namespace tessera::ops::token_exchange
