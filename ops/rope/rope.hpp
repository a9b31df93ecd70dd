// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding of heads, or of a range of their elements.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/rotary_table/rotary_table.hpp"

namespace tessera::ops::rope {

struct RopeSpec {
    RopeLayout layout = RopeLayout::Interleaved;
    std::uint32_t first = 0;  ///< element of a head that the rotated ones begin with
    std::uint32_t dim = 0;    ///< elements that are rotated; 0: all from the first on
    GridSize grid;            ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., C)", "bfloat16", "ROW_MAJOR"},
    Operand{"table", "(P, W)", "float32", "ROW_MAJOR"},
    Operand{.name = "positions",
            .shape = "any",
            .format = "int32",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., C)", "bfloat16 | float32", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// Two fp32 products, their sum, and one rounding to bfloat16: at most 2^-8 of the element.
inline constexpr OpSpec kSpec{
    .name = "rope",
    .summary = "rotary position embedding of heads by a table of cosines and sines",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.0045, .min_pcc = 0.99999},
};

/// Returns the op, for the registry. Elements [first, first + dim) of each head are turned by row p
/// of the table that rotary_table makes for the same layout and dim. Others stay. Input rows of one
/// token follow each other: row r is of token r / (rows / tokens). Its row of the table is
/// positions[token], or the token's number without positions.
///
/// The matrix unit sorts partners with matrices of zeros and ones, which is exact; products with
/// cosines and sines are fp32 in the vector unit. Rotated elements are among the first 128 of a head.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::rope
