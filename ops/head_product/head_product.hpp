// SPDX-License-Identifier: Apache-2.0
// Each head's rows times its own part of a matrix of weights.
#pragma once

#include <array>

#include "emu/base/fields/enum_names.hpp"
#include "ops/op.hpp"

namespace tessera::ops {

/// Meaning of the rows of a head's part of the weights: elements of its inputs, or of outputs.
enum class HeadRows : std::uint8_t { Inputs, Outputs };

struct HeadProductSpec {
    HeadRows rows_are = HeadRows::Inputs;
    std::uint32_t first = 0;  ///< first row of a head's part that counts
    std::uint32_t rows = 0;   ///< rows that count; 0: all from the first on
    GridSize grid;            ///< cores to spread over; 0×0: all that the device offers
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::HeadRows>{
    EnumName<ops::HeadRows>{"inputs", ops::HeadRows::Inputs},
    EnumName<ops::HeadRows>{"outputs", ops::HeadRows::Outputs},
};

}  // namespace tessera::config

namespace tessera::ops::head_product {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"input", "(..., h, K)", "bfloat16", "ROW_MAJOR"},
    Operand{"weight", "(R, C)", "bfloat16", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{Operand{"output", "(..., h, N)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "input"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 of the element; the rest is for fp32 sums.
inline constexpr OpSpec kSpec{
    .name = "head_product",
    .summary = "rows of each head times its part of a matrix of weights",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.005, .min_pcc = 0.99999},
};

/// Returns the op, for the registry. Head i has rows [i·R/h, (i+1)·R/h) of the weights, of which
/// `rows` rows from `first` on count. With rows_are inputs, output[t,i,c] = Σ_k input[t,i,k] ·
/// weight[row k, c]; with outputs, output[t,i,n] = Σ_k input[t,i,k] · weight[row n, k]. MLA uses
/// both forms on one matrix: it absorbs the up-projection of keys into the queries, and that of
/// values into the output.
///
/// A core keeps a head's weights as tiles for all of its tokens of that head.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::head_product
