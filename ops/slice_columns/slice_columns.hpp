// SPDX-License-Identifier: Apache-2.0
// A range of columns of each row, or of each head of a row.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::slice_columns {

struct SliceColumnsSpec : CopySpec {
    std::uint32_t heads = 0;    ///< number of equal parts of a row, which become an axis; 0: none
    std::uint32_t first = 0;    ///< first column, of a row or of a head
    std::uint32_t columns = 0;  ///< 0: all from the first on
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(..., C)", "any", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{Operand{"output", "any", "=input", "ROW_MAJOR"}};
inline constexpr OpSpec kSpec{
    .name = "slice_columns",
    .summary = "selects a range of columns of rows, or of heads",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
/// Shapes   (…, C) gives (…, columns), or with heads (…, heads, columns). split_heads is the case
///          first = 0, columns = C / heads.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::slice_columns
