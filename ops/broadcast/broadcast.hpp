// SPDX-License-Identifier: Apache-2.0
// The tensor of one device of a group, on each of them.
#pragma once

#include <array>
#include <string_view>

#include "ops/op.hpp"
#include "ops/shared/exchange/schedules.hpp"

namespace tessera::ops::broadcast {

/// Ring, Bidirectional, RowsColumns: as all_gather of a tensor that the root holds completely.
/// Line: from the root to both ends. Tree: to distance …, 4, 2, 1 from the root along its column,
/// then along the rows; each device has everything before it forwards anything.
struct BroadcastSpec {
    exchange::Travel algorithm = exchange::Travel::Bidirectional;
    std::uint32_t root = 0;  ///< position in the group
    std::uint32_t links = kLinksPerDirection;
    std::uint32_t packet_tiles = 0;   ///< tiles of 2 KiB; 0: as many as fit in a packet
    std::uint32_t chunk_packets = 0;  ///< exchange::Transport
};

inline constexpr std::array<std::string_view, 5> kSchedules{"bidirectional", "ring", "line",
                                                            "rows_columns", "tree"};
inline constexpr std::array kInputs{Operand{"input", "(..., N)", "any", "any"}};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(..., N)",
                                             .format = "=input",
                                             .layout = "=input",
                                             .replicas = Replicas::Same}};
/// Groups   any devices of the mesh; rows_columns: all devices of some rows and columns.
inline constexpr OpSpec kSpec{
    .name = "broadcast",
    .summary = "copies the tensor of one device of a group to each device",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::broadcast
