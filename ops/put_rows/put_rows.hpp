// SPDX-License-Identifier: Apache-2.0
// A range of rows of a tensor, which another step, or the same op, writes the rest of.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::put_rows {

struct PutSpec {
    std::uint32_t rows = 8;   ///< rows of the whole output
    std::uint32_t first = 0;  ///< output row of the first input row
    GridSize grid;            ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;

    [[nodiscard]] CopySpec schedule() const { return {grid, cb_depth}; }
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(r, C)", "any", "ROW_MAJOR"},
                                    Operand{.name = "whole",
                                            .shape = "(R, C)",
                                            .format = "=input",
                                            .layout = "ROW_MAJOR",
                                            .presence = Presence::Optional}};
inline constexpr std::array kOutputs{Operand{"output", "(R, C)", "=input", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "put_rows",
    .summary = "writes rows into a range of the rows of a tensor",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: output[first + i,:] = input[i,:]; other rows are unchanged. A
/// step that writes an existing tensor names it as `whole` and as its output.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::put_rows
