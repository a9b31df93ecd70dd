// SPDX-License-Identifier: Apache-2.0
// What a launch does besides computing values, and what it may leave out when only its trace is
// wanted.
#pragma once

#include <cstdint>

namespace tessera {

/// Whether kernel threads record what they do (tessera/trace.hpp).
enum class TraceMode : std::uint8_t { Off, On };

/// Off: tiles of floating-point formats are neither unpacked, computed nor packed; what DST and
/// output buffers hold is undefined. Integer tiles, checks and control flow are kept.
enum class Maths : std::uint8_t { On, Off };

/// Off: transfers of more than kLargestSmallTransfer bytes are checked and recorded, but move
/// nothing. For programs whose control flow reads no more than small transfers bring.
/// Integers: only those between an L1 and a DRAM tensor of a floating-point format move nothing.
/// For programs whose control flow reads integers.
enum class BulkData : std::uint8_t { On, Integers, Off };

inline constexpr std::uint32_t kLargestSmallTransfer = 64;  ///< bytes

}  // namespace tessera
