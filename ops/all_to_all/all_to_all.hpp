// SPDX-License-Identifier: Apache-2.0
// A part of every device's tensor to every device of a group.
#pragma once

#include <array>
#include <string_view>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::ops::all_to_all {

/// Direction of parts for the opposite device on a ring of even length.
enum class Opposite : std::uint8_t { EitherWay, Forward };

struct AllToAllSpec {
    std::uint32_t links = kLinksPerDirection;  ///< links per direction
    Opposite opposite = Opposite::EitherWay;
};

}  // namespace tessera::ops::all_to_all

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::all_to_all::Opposite>{
    EnumName<ops::all_to_all::Opposite>{"either_way", ops::all_to_all::Opposite::EitherWay},
    EnumName<ops::all_to_all::Opposite>{"forward", ops::all_to_all::Opposite::Forward},
};

}  // namespace tessera::config

namespace tessera::ops::all_to_all {

inline constexpr std::array<std::string_view, 1> kSchedules{"direct"};
inline constexpr std::array kInputs{Operand{"input", "(D*R, ...)", "any", "any"},
                                    Operand{.name = "counts",
                                            .shape = "(D, D)",
                                            .format = "uint32",
                                            .layout = "ROW_MAJOR",
                                            .host_read = HostRead::Yes,
                                            .presence = Presence::Optional}};
inline constexpr std::array kOutputs{Operand{.name = "output",
                                             .shape = "(D*R, ...)",
                                             .format = "=input",
                                             .layout = "=input",
                                             .valid_rows = "counts",
                                             .rows_are = ValidRows::OfColumn}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}

/// Part j of device i's rows becomes part i of device j's: device positions in the group, which may
/// be any devices of a mesh.
///
/// Ragged     counts[i, j], if given, is the number of rows from i to j. Parts are packed into the
///   first rows of input and output. No device may send or receive more than D·R rows. Needs
///   tensors in ROW_MAJOR.
/// Algorithm  every page is written directly to its place in the receiver's memory. It travels
///   along the column of the mesh, then along the row, in the shorter direction of a closed axis.
///   If both directions are equal, half of the devices use each, or all use forward, as in TTNN. A
///   page that exceeds a packet travels in several. One core for each link of each direction
///   handles its share of each part.
/// Start      a core sends only after the devices that it sends to have reported that they run.
inline constexpr OpSpec kSpec{
    .name = "all_to_all",
    .summary = "sends part j of each device's tensor to device j of a group",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::all_to_all
