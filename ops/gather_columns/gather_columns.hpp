// SPDX-License-Identifier: Apache-2.0
// Columns of a matrix in the order of a table of indices.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops::gather_columns {

struct GatherSpec {
    GridSize grid;  ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(N, B)", "float32", "ROW_MAJOR"},
    Operand{.name = "indices",
            .shape = "(X)",
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
    .name = "gather_columns",
    .summary =
        "gathers columns of a matrix as rows in the order of a table; an index of -1 gives zeros",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry: row i of the output (X, N) is column indices[i] of the input,
/// or zeros where the index is −1. Without indices it is column i: the output (B, N) is the
/// transpose. Rows of the output are distributed over the cores by
/// split_work_to_cores; each holds the whole input in L1: columns are what a feature-major table of
/// scales has for a token, four bytes a page.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::gather_columns
