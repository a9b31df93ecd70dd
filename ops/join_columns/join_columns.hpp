// SPDX-License-Identifier: Apache-2.0
// Concatenates the rows of two tensors, or the heads of a token.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/schedule_fields.hpp"

namespace tessera::ops::join_columns {

struct JoinColumnsSpec : CopySpec {
    bool merge_heads = false;  ///< whether the last but one axis becomes part of the row
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"a", "(..., A)", "any", "ROW_MAJOR"},
    Operand{.name = "b",
            .shape = "(..., B)",
            .format = "=a",
            .layout = "ROW_MAJOR",
            .presence = Presence::Optional},
};
inline constexpr std::array kOutputs{Operand{"output", "any", "=a", "ROW_MAJOR"}};

/// Positions of operands by their names: "a"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
inline constexpr OpSpec kSpec{
    .name = "join_columns",
    .summary = "concatenates rows of two tensors, and the heads of a token",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry.
/// Shapes   (…, A) and (…, B) give (…, A + B); with merge_heads (…, h, A) and (…, h, B) give
///          (…, h·(A + B)): concat_heads.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::join_columns
