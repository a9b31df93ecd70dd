// SPDX-License-Identifier: Apache-2.0
// A range of rows of a tensor: another one on each device of the group, if asked for.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::slice_rows {

struct SliceSpec {
    std::uint32_t rows = 1;
    std::uint32_t first = 0;   ///< first row of the group's first device
    std::uint32_t stride = 0;  ///< rows from one device's range to the next one's
    std::uint32_t end = 0;     ///< rows from here on are filled; 0: only missing rows
    std::uint32_t fill = 0;    ///< word in the rows that the input does not have
    GridSize grid;             ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;

    [[nodiscard]] CopySpec schedule() const { return {grid, cb_depth}; }
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(R, ...)", "any", "ROW_MAJOR"},
                                    Operand{.name = "num_rows",
                                            .shape = "(1, 1)",
                                            .format = "uint32",
                                            .layout = "ROW_MAJOR",
                                            .presence = Presence::Optional}};
inline constexpr std::array kOutputs{Operand{"output", "any", "=input", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "slice_rows",
    .summary = "selects a range of rows and fills rows behind the last",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: row i of the device at position p is the input's row first +
/// p·stride + i, or words of `fill` if the input has no such row. With num_rows, the input has this
/// many rows.
///
/// Shapes   (R, C) gives (rows, C); for another rank, all extents except the last are rows.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::slice_rows
