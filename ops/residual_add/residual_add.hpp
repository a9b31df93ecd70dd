// SPDX-License-Identifier: Apache-2.0
// Sum of two tensors of rows.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::residual_add {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"a", "(..., N)", "bfloat16", "ROW_MAJOR"},
    Operand{"b", "(..., N)", "bfloat16", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{Operand{"output", "(..., N)", "bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "a"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 of the element.
inline constexpr OpSpec kSpec{
    .name = "residual_add",
    .summary = "adds two tensors of rows, such as a result and the input of its layer",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.0045, .min_pcc = 0.99999},
};

/// Returns the op, for the registry. Addition does not depend on an element's position, so rows
/// pass through the matrix unit untilized, as if they were tiles. A tile is up to 1024 elements of
/// a row, or several short rows.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::residual_add
