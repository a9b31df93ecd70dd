// SPDX-License-Identifier: Apache-2.0
// Processors and NoCs of a core.
#pragma once

#include <cstdint>

#include "tt-metalium/enum_name.hpp"

namespace tt::tt_metal {

/// Data movement processors: RISCV_0 is BRISC, RISCV_1 is NCRISC. A worker core has no others.
enum class DataMovementProcessor : std::uint8_t {
    RISCV_0 = 0,
    RISCV_1 = 1,
    RISCV_2 = 2,
    RISCV_3 = 3,
    RISCV_4 = 4,
    RISCV_5 = 5,
    RISCV_6 = 6,
    RISCV_7 = 7
};

enum NOC : std::uint8_t { RISCV_0_default = 0, RISCV_1_default = 1, NOC_0 = 0, NOC_1 = 1 };

enum NOC_MODE : std::uint8_t { DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1 };

enum Eth : std::uint8_t { SENDER = 0, RECEIVER = 1, IDLE = 2 };

}  // namespace tt::tt_metal

template <>
inline constexpr bool tt::names::kIsPrinted<tt::tt_metal::DataMovementProcessor> = true;
template <>
inline constexpr bool tt::names::kIsPrinted<tt::tt_metal::NOC> = true;
