// SPDX-License-Identifier: Apache-2.0
// Host side of the ops that send each token's row to the devices of its experts: moe_dispatch, by
// rows, and moe_dispatch_batched, by batches of experts.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::ops::token_exchange {

/// Treatment of rows beyond the capacity of their receiver. Fail: its control kernel's ASSERT ends
/// the run. Drop: they are not sent, and their slots are −1.
enum class Overflow : std::uint8_t { Fail, Drop };
/// Two: all devices learn the counts, then rows go straight to their places, one after the other.
/// One: rows go at once, those of each device into a part of the receiver that is its own, of
/// `capacity` rows; the receiver's other cores put them together when the counts are there.
enum class Phases : std::uint8_t { Two, One };

struct DispatchSpec {
    std::uint32_t experts = 0;  ///< E, over all devices; device p has [p·E/D, (p+1)·E/D)
    /// Rows that a receiver (device or expert) has, M, or with one phase has for each sender, M /
    /// D; 0: enough for all tokens.
    std::uint32_t capacity = 0;
    Overflow overflow = Overflow::Fail;
    Phases phases = Phases::Two;
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

template <>
inline constexpr std::array kEnumNames<ops::token_exchange::Phases>{
    EnumName<ops::token_exchange::Phases>{"two", ops::token_exchange::Phases::Two},
    EnumName<ops::token_exchange::Phases>{"one", ops::token_exchange::Phases::One},
};

}  // namespace tessera::config

namespace tessera::ops::token_exchange {

inline constexpr config::Limits kExperts{1, 65536};
inline constexpr config::Limits kCapacity{0, 1048576};

inline constexpr std::array kDispatchFields{
    config::field<&DispatchSpec::experts>("experts", config::kRequired,
                                          "experts of all devices; each device has the same number",
                                          kExperts),
    config::field<&DispatchSpec::capacity>("capacity", "0",
                                           "rows of a receiver (device or expert) with one phase "
                                           "per sending device; 0: rows of all tokens",
                                           kCapacity),
    config::field<&DispatchSpec::overflow>("overflow", "fail",
                                           "rows beyond the capacity end the run, or are dropped"),
    config::field<&DispatchSpec::phases>(
        "phases", "two", "two: counts, then rows; one: rows at once, which the receiver compacts"),
    config::field<&DispatchSpec::links>("links", "4", "links of each direction",
                                        config::Limits{1, kLinksPerDirection}),
};

inline constexpr std::array<std::string_view, 2> kDispatchSchedules{"two_phases", "one_phase"};

/// Returns the op of one form. Its outputs are, of Rows: received, received_ids, received_weights,
/// source, num_received, slots[, received_scales]; of Batches: received, source, num_received,
/// slots[, received_scales].
[[nodiscard]] Op dispatch_op(const OpSpec& spec, Form form);

/// Returns M, the rows of a receiver.
[[nodiscard]] std::uint32_t most_rows(const OpContext& context);
[[nodiscard]] std::vector<HostTensor> dispatch_reference(const ReferenceContext& context,
                                                         Form form);

}  // namespace tessera::ops::token_exchange
