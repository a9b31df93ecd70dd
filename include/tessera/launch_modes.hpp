// SPDX-License-Identifier: Apache-2.0
// Modes of a launch: recording a trace, and leaving out work when only the trace is needed.
#pragma once

#include <cstdint>

namespace tessera {

/// On: kernel threads record events (tessera/trace.hpp).
enum class TraceMode : std::uint8_t { Off, On };

/// Off: tiles of floating-point formats are not unpacked, computed or packed, and the contents of
/// DST and of output buffers are undefined. Integer tiles, checks and control flow still run.
enum class Maths : std::uint8_t { On, Off };

/// Transfers that move bytes. All transfers are checked and recorded.
/// On: all transfers.
/// Off: transfers of more than kLargestSmallTransfer bytes move nothing. For programs whose control
/// flow depends on small transfers only.
/// Integers: transfers between an L1 and a DRAM tensor of a floating-point format move nothing. For
/// programs whose control flow depends on integers only.
enum class BulkData : std::uint8_t { On, Integers, Off };

inline constexpr std::uint32_t kLargestSmallTransfer = 64;  ///< bytes

}  // namespace tessera
