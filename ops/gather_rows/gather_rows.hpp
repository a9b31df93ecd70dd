// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor in the order of a table.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::gather_rows {

struct GatherSpec {
    std::uint32_t divisor = 1;  ///< an entry names row entry / divisor
    GridSize grid;              ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;

    [[nodiscard]] CopySpec schedule() const { return {grid, cb_depth}; }
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., C)", "any", "ROW_MAJOR"},
    Operand{"index", "any", "int32", "ROW_MAJOR"},
    Operand{.name = "limit",
            .shape = "(1)",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "any", "=input", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "gather_rows",
    .summary = "gathers rows in the order of a table; entries that name no row give zeros",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: output[i,:] = input[index[i] / divisor,:], zeros if the entry
/// is negative or names no row of the input. With `limit` only the first rows are gathered.
///
/// Shapes   input rows of any stack, numbered through. The output has the extents of `index`, then
///          C.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::gather_rows
