// SPDX-License-Identifier: Apache-2.0
// Rows of numbers to e4m3 codes with a scale for each block of them.
#pragma once

#include <array>

#include "emu/base/fields/enum_names.hpp"
#include "ops/fp8_blocks/fp8_blocks.hpp"
#include "ops/op.hpp"
#include "tessera/arch_spec.hpp"

namespace tessera::ops {

/// What shares a scale: 128 columns of a row, a whole row, or 128 columns of 128 rows.
enum class ScaleBlock : std::uint8_t { Row128, Row, Square128 };

struct QuantiseSpec {
    ScaleRule rule = ScaleRule::Trtllm;
    ScaleBlock block = ScaleBlock::Row128;
    GridSize grid;  ///< cores to spread over; 0×0: all that the device offers
};

}  // namespace tessera::ops

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::ScaleBlock>{
    EnumName<ops::ScaleBlock>{"1x128", ops::ScaleBlock::Row128},
    EnumName<ops::ScaleBlock>{"row", ops::ScaleBlock::Row},
    EnumName<ops::ScaleBlock>{"128x128", ops::ScaleBlock::Square128},
};

}  // namespace tessera::config

namespace tessera::ops::fp8_quantise {

inline constexpr std::array<std::string_view, 3> kSchedules{"1x128", "row", "128x128"};
inline constexpr std::array kInputs{Operand{"input", "(R, C)", "bfloat16 | float32", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{
    Operand{"codes", "(R, C)", "fp8_e4m3", "ROW_MAJOR"},
    Operand{"scale", "(S, B)", "float32", "ROW_MAJOR"},
};
/// Every step is IEEE fp32, so codes and scales are those of the rule to the bit.
inline constexpr OpSpec kSpec{
    .name = "fp8_quantise",
    .summary = "rows to e4m3 codes with a scale for each block, by one of the published rules",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// The op, for the registry: value = code · scale of its block, scales token-major, (R, C/128),
/// (R, 1) or (R/128, C/128), each rounded up: blocks at the edges are smaller.
///
/// Largest magnitudes are taken and values divided in the vector unit in fp32; the packer rounds to
/// e4m3, ties to even, and saturates at 448. Rows of blocks are dealt to the cores by
/// split_work_to_cores; a core keeps a block (with `row`, 32 rows) in L1.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::fp8_quantise
