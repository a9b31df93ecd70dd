// SPDX-License-Identifier: Apache-2.0
// The columns of the largest elements of each row.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::top_k {

struct TopKSpec {
    std::uint32_t k = 0;
    std::uint32_t split = 0;  ///< processors that share a row; 0: chosen by the shape
    GridSize grid;            ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{.name = "scores",
            .shape = "(..., N)",
            .format = "float32",
            .layout = "ROW_MAJOR",
            .steers = Steers::Yes},
    Operand{.name = "positions",
            .shape = "any",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"indices", "(..., K)", "int32", "ROW_MAJOR"}};

/// Positions of operands by their names: "scores"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "top_k",
    .summary =
        "finds the columns of the largest elements of each row, up to the row's position (-1: no "
        "column); -inf is never one",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry. Row r gets the columns of its k largest elements in descending
/// order, of equal ones the lower first; NaN counts as less than every number. A column with −inf is
/// masked and never returned. With `positions` (one for each row) only columns up to the row's own
/// count are returned; −1 fills up the rest.
///
/// A core has two data movement processors, and `split` processors share a row.
///   - With `split` of 1 each processor sorts whole rows of up to 1024 columns. It selects from
///     longer rows by radix: three histograms of 11, 11 and 10 bits find the k-th element. Another
///     pass takes the elements that are not below it, and a radix sort puts them in order.
///   - With a larger `split` each processor sorts a part of the columns and sends the list to the
///     cores that share the row. Each then merges its part of the result.
/// Both are exact, and their time is linear in N and in k.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::top_k
