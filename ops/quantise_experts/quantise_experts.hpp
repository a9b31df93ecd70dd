// SPDX-License-Identifier: Apache-2.0
// bfloat16 to e4m3 with one scale for each row, for each matrix of a stack, or for all.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::quantise_experts {

/// What shares a scale.
enum class Shares : std::uint8_t { Row, Matrix };

struct QuantiseExpertsSpec {
    Shares scale = Shares::Row;
    GridSize grid;  ///< cores to spread over; 0×0: all that the device offers
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(..., C)", "bfloat16", "any"}};
inline constexpr std::array kOutputs{
    Operand{"codes", "(..., C)", "fp8_e4m3", "=input"},
    Operand{"scales", "any", "float32", "ROW_MAJOR"},
};
inline constexpr OpSpec kSpec{
    .name = "quantise_experts",
    .summary = "e4m3 codes with a scale for each row, or for each expert's matrix",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// The op, for the registry: scale = max(amax, 2^-20)/448 over what shares it, code = x/scale in
/// fp32, rounded to nearest even in e4m3. A NaN among the elements is the NaN of e4m3, and counts
/// as nothing for the scale.
///
/// Shapes   scales (rows, 1) of rows in ROW_MAJOR, (matrices, 1) of a stack of TILE matrices.
/// Rows, or matrices, are dealt to the cores by split_work_to_cores; one data-movement core each
/// finds the largest magnitude and makes the codes in scalar code.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::quantise_experts

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::quantise_experts::Shares>{
    EnumName<ops::quantise_experts::Shares>{"row", ops::quantise_experts::Shares::Row},
    EnumName<ops::quantise_experts::Shares>{"matrix", ops::quantise_experts::Shares::Matrix},
};

}  // namespace tessera::config
