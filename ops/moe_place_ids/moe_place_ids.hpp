// SPDX-License-Identifier: Apache-2.0
// Converts ids of experts to places, for dispatches that identify experts by place only.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::moe_place_ids {

struct PlaceSpec {
    std::uint32_t slots = 1;  ///< slots per device
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"topk_ids", "(T, K)", "int32 | uint32", "ROW_MAJOR"},
    Operand{"expert_places", "(E)", "int32", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{
    Operand{"place_ids", "(T, K)", "int32", "ROW_MAJOR"},
    Operand{"place_map", "(P)", "int32", "ROW_MAJOR"},
};

/// Positions of operands by their names: "topk_ids"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
consteval std::size_t operator""_out(const char* name, std::size_t /*size*/) {
    return place_of(kOutputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "moe_place_ids",
    .summary = "turns ids of experts into their places on the devices",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry. Slot l of the device at position p of a group of D has place p
/// · slots + l; the first device of the group has position 0.
///
///   place_ids  expert_places of each id; −1 for ids outside of 0 to E − 1
///   place_map  (D · slots): the device's slot of each place, −1 for places of other devices
///
/// With these two in place of topk_ids and an expert map, moe_dispatch and related ops support any
/// distribution of experts: any order, and fewer experts than slots. Tokens are distributed over
/// the cores; each core reads the table once.
/// Source   vLLM's physical ids of experts (expert-parallel load balancing).
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::moe_place_ids
