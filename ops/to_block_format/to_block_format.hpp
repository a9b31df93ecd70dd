// SPDX-License-Identifier: Apache-2.0
// Tiles of bfloat16 in a block format: 16 neighbours of a row share an exponent.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::to_block_format {

enum class BlockFormat : std::uint8_t { Bfp8, Bfp4 };

struct BlockFormatSpec {
    BlockFormat format = BlockFormat::Bfp8;
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 2;  ///< tiles that each CB holds
};

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"input", "(..., N)", "bfloat16", "TILE"}};
inline constexpr std::array kOutputs{Operand{"output", "(..., N)", "bfp8_b | bfp4_b", "TILE"}};
inline constexpr OpSpec kSpec{
    .name = "to_block_format",
    .summary = "converts tiles to a block format, in which 16 neighbours share an exponent",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

/// Returns the op, for the registry. The packer shifts each element to the block's largest
/// exponent, losing bits. It rounds to nearest even to 7 (bfp8_b) or 3 (bfp4_b) bits, and holds the
/// result at the most that these express.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::to_block_format

namespace tessera::config {

template <>
inline constexpr std::array kEnumNames<ops::to_block_format::BlockFormat>{
    EnumName<ops::to_block_format::BlockFormat>{"bfp8_b", ops::to_block_format::BlockFormat::Bfp8},
    EnumName<ops::to_block_format::BlockFormat>{"bfp4_b", ops::to_block_format::BlockFormat::Bfp4},
};

}  // namespace tessera::config
