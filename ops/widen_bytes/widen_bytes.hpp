// SPDX-License-Identifier: Apache-2.0
// Bytes that integers with a sign travelled as, back to bfloat16.
#pragma once

#include <array>

#include "ops/op.hpp"

namespace tessera::ops::widen_bytes {

inline constexpr std::array<std::string_view, 1> kSchedules{"multi_core"};
inline constexpr std::array kInputs{Operand{"bytes", "(..., C)", "uint8", "ROW_MAJOR"}};
inline constexpr std::array kOutputs{Operand{"output", "(..., C)", "bfloat16", "ROW_MAJOR"}};
/// Integers to ±128 are exact in bfloat16.
inline constexpr OpSpec kSpec{
    .name = "widen_bytes",
    .summary = "int8 codes that travelled as bytes, as bfloat16",
    .schedules = kSchedules,
    .inputs = kInputs,
    .outputs = kOutputs,
    .tolerance = kExact,
};

struct WidenBytesSpec {
    GridSize grid;               ///< cores to spread over; 0×0: all that the device offers
    std::uint32_t cb_depth = 0;  ///< pieces that each CB holds
};

/// Returns the op, for the registry: output = byte − 128, the inverse of the codes int8_bytes of
/// quantise. Pieces of up to 1024 columns of a row are distributed over the cores by
/// split_work_to_cores. The unpacker reads bytes as integers, and the vector unit converts them.
[[nodiscard]] const Op& op();

}  // namespace tessera::ops::widen_bytes
