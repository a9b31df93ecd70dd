// SPDX-License-Identifier: Apache-2.0
// What the host sides of collectives share: parameters, rows of ragged parts, programs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/exchange/schedules.hpp"
#include "ops/op.hpp"

namespace tessera::ops::exchange {

inline constexpr config::Limits kPacketTiles{0, 7};
inline constexpr config::Limits kChunkPackets{1, 256};
inline constexpr std::string_view kPacketTilesProse =
    "tiles of 2 KiB in a packet; 0: as many as a packet holds";
inline constexpr std::string_view kChunkPacketsProse =
    "packets of a slice that travel together; three times as many fit into the receiver's L1";

/// The rule that a tensor's padded bytes can be counted in 32 bits, blamed on `operand`.
/// @returns whether it holds.
bool judge_bytes(const TensorPlan& plan, std::string_view operand, RuleJudge& judge);
/// The rule that input and output lie in the same memory, whose pages are alike.
void judge_memory(const OpContext& context, RuleJudge& judge);

/// How many rows of the first axis each device's part has: those of the operand of counts, where it
/// is given, else `rows` for each.
[[nodiscard]] std::vector<std::uint32_t> part_rows(const OpContext& context, std::size_t operand,
                                                   std::uint32_t rows);
/// For references.
[[nodiscard]] std::vector<std::uint32_t> part_rows(const ReferenceContext& context,
                                                   std::size_t operand, std::uint32_t rows);
/// Parts of so many entries of the first axis of `spec`, one behind the other, pages at a distance
/// of `page_stride`: where each begins, and its bytes.
/// Precondition   parts are whole pages.
struct Part {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;
};
[[nodiscard]] std::vector<Part> parts_of(std::span<const std::uint32_t> rows,
                                         const TensorSpec& spec, std::uint32_t page_stride);

/// What must hold of the values of counts: none above `most`.
/// Errors   UsageError naming the op, the entry and the bound.
void check_part_rows(std::string_view op, const ReferenceContext& context, std::size_t operand,
                     std::uint32_t most);

/// Programs of plans over the op's first input and output; the first workspace, if there is one,
/// is the plans' workspace.
[[nodiscard]] std::vector<DeviceProgram> make_programs(const OpContext& context,
                                                       const Transport& transport,
                                                       std::uint32_t ways, GroupPlans plans);

}  // namespace tessera::ops::exchange
