// SPDX-License-Identifier: Apache-2.0
// Sums over the devices of a group; each device keeps its own slice.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "ops/op.hpp"
#include "ops/shared/exchange/program.hpp"
#include "ops/shared/mesh_line.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::reduce_scatter {

/// Line: from both ends to each device, a tile a packet; partial sums are in memory.
/// Direct: from each device to each other one, which sums once all tiles have arrived.
/// Each other value: exchange::Travel, several tiles a packet.
enum class Algorithm : std::uint8_t { Line, Direct, Ring, Bidirectional, RowsColumns };
/// Devices that must have reported their start before a core of Line sends.
enum class Start : std::uint8_t { Sources, All };

}  // namespace tessera::ops::reduce_scatter

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::reduce_scatter::Algorithm>{
    EnumName<ops::reduce_scatter::Algorithm>{"line", ops::reduce_scatter::Algorithm::Line},
    EnumName<ops::reduce_scatter::Algorithm>{"direct", ops::reduce_scatter::Algorithm::Direct},
    EnumName<ops::reduce_scatter::Algorithm>{"ring", ops::reduce_scatter::Algorithm::Ring},
    EnumName<ops::reduce_scatter::Algorithm>{"bidirectional",
                                             ops::reduce_scatter::Algorithm::Bidirectional},
    EnumName<ops::reduce_scatter::Algorithm>{"rows_columns",
                                             ops::reduce_scatter::Algorithm::RowsColumns},
};

template <>
inline constexpr std::array kEnumNames<ops::reduce_scatter::Start>{
    EnumName<ops::reduce_scatter::Start>{"sources", ops::reduce_scatter::Start::Sources},
    EnumName<ops::reduce_scatter::Start>{"all", ops::reduce_scatter::Start::All},
};

}  // namespace tessera::config

namespace tessera::ops::reduce_scatter {

inline constexpr std::array<std::string_view, 5> kSchedules{"line", "direct", "ring",
                                                            "bidirectional", "rows_columns"};
inline constexpr std::array kInputs{Operand{"input", "(D*R, C)", "bfloat16", "any"},
                                    Operand{.name = "counts",
                                            .shape = "(D)",
                                            .format = "uint32",
                                            .layout = "ROW_MAJOR",
                                            .host_read = HostRead::Yes,
                                            .presence = Presence::Optional}};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(R, C)",
                                             .format = "bfloat16",
                                             .layout = "=input",
                                             .valid_rows = "counts",
                                             .rows_are = ValidRows::OfDevice}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "reduce_scatter",
    .summary = "sums over the devices of a group; each device gets its slice of the sum",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    // Partial sums are rounded to bfloat16 on every hop: up to seven roundings of 2^-9 on eight
    // devices, and sums that cancel.
    .tolerance = {.max_relative_error = 0x1p-5, .min_pcc = 0.9999},
};

/// Returns the op, for the registry.
///
/// Builds one program for each device of the whole mesh, to be launched together.
///
/// Ragged     `counts`, if given, is the number of rows that each device keeps (0 to R). They are
///   packed into the first rows of the input. Needs an algorithm other than Line and Direct, and
///   tensors in ROW_MAJOR. Output rows after a device's count are not written.
/// Groups     Line, Direct: the whole mesh, which must be a single row or column. RowsColumns: all
///   devices of some rows and columns. Other algorithms: any devices of the mesh. Order:
///   exchange::reduce_scatter_plans.
/// Line       slice j is summed from both ends of the line towards device j. Each device adds its
///   own tiles to the sum from the previous device and sends the result on, farthest slices first.
///   Device j adds its own tiles and the sums from both sides. One core for each lane and direction
///   takes its share of each slice's tiles. A ring is used as a line. Order: own + (from the longer
///   side of the line) + (from the shorter), each addition in fp32; sums that travel, and the
///   result, are rounded to bfloat16.
/// Direct     one core for each link sends its share of each slice to the core at the same position
///   on the slice's device, in the shorter direction of a ring. It adds the arriving tiles in its
///   own L1, which must hold all of them. It needs half the hops and a single step, but more than
///   twice a ring's bytes on links from eight devices on. Order: by pairs, own first, then by
///   position.
///   Source   tt-metal ttnn/cpp/ttnn/operations/experimental/ccl/reduce_scatter_minimal_direct.
/// Start      no core sends before all devices from which it receives have reported that they run;
///   Start::All: before all devices have, as in tt-metal's reduce_scatter_minimal_async.
/// Errors   UsageError if the number of tensors is not that of devices, the spec of partial sums'
///          tensors differs from the input's, or the contract or a rule of the op does not hold:
///          the mesh is a single row or column, slices are whole tiles, the device has the links
///          and cores.
[[nodiscard]] const Op& op();

/// Transport of tiles. Line uses `workers` to `cb_depth` and `start`; its packets hold at most four
/// tiles. Each other algorithm uses `partial_sums` (Direct: format of sums in DST), and except for
/// Direct `chunk_packets`.
struct Schedule {
    std::uint32_t links = kLinksPerDirection;  ///< links per direction
    std::uint32_t workers = 1;                 ///< cores for each link of each direction
    std::uint32_t sync_tiles = 8;              ///< tiles after which the receiver is told
    std::uint32_t cb_depth = 2;  ///< times `sync_tiles` that each circular buffer holds
    Algorithm algorithm = Algorithm::Line;
    std::uint32_t packet_tiles = 0;   ///< tiles of 2 KiB; 0: as many as fit in a packet
    std::uint32_t chunk_packets = 0;  ///< exchange::Transport
    exchange::PartialSums partial_sums = exchange::PartialSums::Bf16;
    Start start = Start::Sources;

    [[nodiscard]] Lanes lanes() const { return {links, workers}; }
};

}  // namespace tessera::ops::reduce_scatter
