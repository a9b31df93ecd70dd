// SPDX-License-Identifier: Apache-2.0
// The tensors of all devices of a group, one after the other, on each device.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "ops/all_gather/travel.hpp"
#include "ops/op.hpp"
#include "ops/shared/exchange/program.hpp"
#include "ops/shared/mesh_line.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_spec.hpp"
#include "tessera/session.hpp"
#include "tessera/tensor.hpp"

namespace tessera::ops::all_gather {

/// Pages: directly to the memory of the neighbours on a line or ring, up to four pages a packet;
///   a page that exceeds a packet is split over several.
/// Multicast: the same to the memory of all devices; routers forward packets, not cores.
/// Auto: Pages or Bidirectional, by algorithm_of().
/// Each other value: exchange::Travel, through the devices' L1.
enum class Algorithm : std::uint8_t {
    Auto,
    Pages,
    Multicast,
    Ring,
    Bidirectional,
    Line,
    RowsColumns
};

}  // namespace tessera::ops::all_gather

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::all_gather::Algorithm>{
    EnumName<ops::all_gather::Algorithm>{"auto", ops::all_gather::Algorithm::Auto},
    EnumName<ops::all_gather::Algorithm>{"pages", ops::all_gather::Algorithm::Pages},
    EnumName<ops::all_gather::Algorithm>{"multicast", ops::all_gather::Algorithm::Multicast},
    EnumName<ops::all_gather::Algorithm>{"ring", ops::all_gather::Algorithm::Ring},
    EnumName<ops::all_gather::Algorithm>{"bidirectional",
                                         ops::all_gather::Algorithm::Bidirectional},
    EnumName<ops::all_gather::Algorithm>{"line", ops::all_gather::Algorithm::Line},
    EnumName<ops::all_gather::Algorithm>{"rows_columns", ops::all_gather::Algorithm::RowsColumns},
};

template <>
inline constexpr std::array kEnumNames<ops::all_gather::FarthestSlice>{
    EnumName<ops::all_gather::FarthestSlice>{"half_each_way",
                                             ops::all_gather::FarthestSlice::HalfEachWay},
    EnumName<ops::all_gather::FarthestSlice>{"forward", ops::all_gather::FarthestSlice::Forward},
};

}  // namespace tessera::config

namespace tessera::ops::all_gather {

inline constexpr std::array<std::string_view, 6> kSchedules{
    "pages", "multicast", "ring", "bidirectional", "line", "rows_columns"};
inline constexpr std::array kInputs{Operand{"input", "(R, ...)", "any", "any"},
                                    Operand{.name = "counts",
                                            .shape = "(D)",
                                            .format = "uint32",
                                            .layout = "ROW_MAJOR",
                                            .host_read = HostRead::Yes,
                                            .presence = Presence::Optional}};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(D*R, ...)",
                                             .format = "=input",
                                             .layout = "=input",
                                             .valid_rows = "counts",
                                             .replicas = Replicas::Same,
                                             .rows_are = ValidRows::Packed}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "all_gather",
    .summary = "concatenates the tensors of all devices of a group on each device",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
///
/// Builds one program for each device of the whole mesh, to be launched together.
///
/// Ragged     `counts`, if given, is the number of input rows of each device (0 to R). The rows of
///   all devices are packed into the first rows of the output. Needs an algorithm other than Pages
///   and Multicast, and tensors in ROW_MAJOR.
/// Groups     Pages, Multicast: the whole mesh, which must be a single row or column.
///   RowsColumns: all devices of some rows and columns. Other algorithms: any devices of the mesh.
/// Pages      each device sends its pages to both neighbours and forwards slices from one neighbour
///   to the other. It forwards pages from its own output when a counter, sent after each
///   `sync_pages` pages, shows that they have arrived. On a ring of D devices slices travel ⌊D/2⌋
///   hops in each direction. With even D each direction carries half of the farthest slice, or
///   forward carries all of it. One core for each lane and direction handles its share of pages.
/// Multicast  each device sends its pages in both directions, in packets that are written on every
///   device on their route: on a ring ⌊D/2⌋ devices forward, the rest backward. One core for each
///   link: its reader sends forward, its writer backward. With `read_ahead` a batch is read while
///   the previous one is sent.
///   Source   tt-metal
///   ttnn/cpp/ttnn/operations/ccl/all_gather/device/all_gather_multicast_factory.cpp.
/// Start      a core sends only after all devices that send to it have reported that they run.
/// Errors   UsageError if the number of tensors is not that of devices, or the contract or a rule
///          of the op does not hold: the mesh is a single row or column, a TILE tensor's pages stay
///          whole, the device has the links and cores.
[[nodiscard]] const Op& op();

/// Transport of pages. Pages uses `workers` to `cb_depth`; Multicast uses `batch_pages`, `cb_depth`
/// and `read_ahead`; each other algorithm uses `chunk_packets`.
struct Schedule {
    std::uint32_t links = kLinksPerDirection;  ///< links per direction
    std::uint32_t workers = 1;                 ///< cores for each link of each direction
    FarthestSlice farthest = FarthestSlice::HalfEachWay;
    std::uint32_t sync_pages = 4;   ///< pages after which the receiver is told
    std::uint32_t batch_pages = 0;  ///< pages read at a time; 0: sync_pages
    std::uint32_t cb_depth = 2;     ///< batches that a circular buffer holds
    bool read_ahead = true;         ///< a batch while the one before it is sent
    Algorithm algorithm = Algorithm::Auto;
    std::uint32_t packet_tiles = 0;   ///< tiles of 2 KiB; 0: as many as fit in a packet
    std::uint32_t chunk_packets = 0;  ///< exchange::Transport

    [[nodiscard]] Lanes lanes() const { return {links, workers}; }
    [[nodiscard]] std::uint32_t batch() const {
        return batch_pages == 0 ? sync_pages : batch_pages;
    }
};

/// Returns the algorithm of a call. Auto becomes Pages for up to 256 KiB per device of a single row
/// or column, else Bidirectional, which supports any group and counts. On eight Wormholes Pages
/// takes 25 % less time than Bidirectional for 32 KiB, the same time for 128 KiB, and 5 % more for
/// 512 KiB.
[[nodiscard]] Algorithm algorithm_of(const OpContext& context);

}  // namespace tessera::ops::all_gather
