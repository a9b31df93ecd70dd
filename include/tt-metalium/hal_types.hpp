// SPDX-License-Identifier: Apache-2.0
// Kinds of cores and memories in queries of a device.
#pragma once

#include <cstdint>

namespace tt::tt_metal {

enum class HalProgrammableCoreType : std::uint8_t { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2 };
enum class HalMemType : std::uint8_t { L1 = 0, DRAM = 1, HOST = 2 };

}  // namespace tt::tt_metal
