// SPDX-License-Identifier: Apache-2.0
// Host code that collectives share: parameters, rows of ragged parts, rules, programs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/exchange/program.hpp"
#include "ops/shared/exchange/schedules.hpp"

namespace tessera::ops::exchange {

inline constexpr config::Limits kPacketTiles{0, 7};
inline constexpr config::Limits kChunkPackets{0, 256};
inline constexpr std::string_view kPacketTilesProse =
    "tiles of 2 KiB in a packet; 0: as many as a packet holds";
inline constexpr std::string_view kChunkPacketsProse =
    "packets of a slice that are sent together; the L1 of the receiver holds three times as many; "
    "0: as many as fit, at most 16";

/// Returns the rows of the first axis that each device's part has: those of the operand of counts,
/// where it is given, else `rows` for each.
[[nodiscard]] std::vector<std::uint32_t> part_rows(const OpContext& context, std::size_t operand,
                                                   std::uint32_t rows);
/// Returns the same for references.
[[nodiscard]] std::vector<std::uint32_t> part_rows(const ReferenceContext& context,
                                                   std::size_t operand, std::uint32_t rows);
/// Contiguous parts of entries of the first axis of `spec`, with pages `page_stride` apart: the
/// start of each part, and its bytes.
/// Precondition   parts are whole pages.
struct Part {
    std::uint32_t begin = 0;
    std::uint32_t bytes = 0;
};
[[nodiscard]] std::vector<Part> parts_of(std::span<const std::uint32_t> rows,
                                         const TensorSpec& spec, std::uint32_t page_stride);

/// Checks the values of counts: none above `most`.
/// Errors   UsageError naming the op, the entry and the bound.
void check_part_rows(std::string_view op, const ReferenceContext& context, std::size_t operand,
                     std::uint32_t most);

/// One call of a collective: all that its op says of it.
struct Collective {
    Travel travel = Travel::Ring;
    Transport transport;
    /// Returns the plans for pages at a distance of `page_stride` bytes.
    std::function<GroupPlans(const Exchange& exchange, std::uint32_t page_stride)> plans;
};

/// Checks the rules of links, packets and buffers, and that the group and its plans are possible.
/// Also checks that the bytes of `counted`, the largest tensor, can be counted in 32 bits.
void judge_collective(const OpContext& context, const Collective& collective,
                      const TensorPlan& counted, RuleJudge& judge);
/// Returns the workspaces of sums that wait for a later phase, if there are any.
[[nodiscard]] std::vector<TensorPlan> collective_workspaces(const OpContext& context,
                                                            const Collective& collective);
/// Returns the programs over the op's first input and output.
[[nodiscard]] std::vector<DeviceProgram> collective_programs(const OpContext& context,
                                                             const Collective& collective);

}  // namespace tessera::ops::exchange
