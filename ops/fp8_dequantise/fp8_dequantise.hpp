// SPDX-License-Identifier: Apache-2.0
// e4m3 codes with a scale for each block of them back to numbers.
#pragma once

#include <array>

#include "ops/op.hpp"
#include "ops/shared/fp8_blocks/fp8_blocks.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

struct DequantiseSpec {
    DataFormat output = DataFormat::Float32;
    GridSize grid;  ///< cores to spread over; 0×0: all that the device offers
};

}  // namespace tessera::ops

namespace tessera::ops::fp8_dequantise {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{
    Operand{"codes", "(..., C)", "fp8_e4m3", "ROW_MAJOR"},
    Operand{"scale", "any", "float32", "ROW_MAJOR"},
};
inline constexpr std::array kOutputs{
    Operand{"output", "(..., C)", "float32 | bfloat16", "ROW_MAJOR"}};

/// Positions of operands by their names: "codes"_in.
consteval std::size_t operator""_in(const char* name, std::size_t /*size*/) {
    return place_of(kInputs, name);
}
/// One rounding to bfloat16 is at most 2^-8 of the element; float32 is exact.
inline constexpr OpSpec kSpec{
    .name = "fp8_dequantise",
    .summary = "e4m3 codes times the scales of their blocks",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = {.max_relative_error = 0.004, .min_pcc = 0.99999, .floor = kElementWise},
};

/// Returns the op, for the registry: the inverse of quantise, for R rows in any stack. The shape of
/// the scales determines which codes share one: (R, C/128) 128 columns of a row, (R, 1) a row,
/// (R/128, C/128) a square, each rounded up. A product is rounded once, in fp32, and again for a
/// bfloat16 output.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::fp8_dequantise
