// SPDX-License-Identifier: Apache-2.0
// The schedule of the op reshard.
#pragma once

#include <cstdint>

namespace tessera {

/// Who moves a core's pages: both data movement processors, RISCV_1 on NoC 0 the first half and
/// RISCV_0 on NoC 1 the second, or one of them alone.
enum class ReshardMovers : std::uint8_t { Both, Noc0, Noc1 };

struct ReshardSpec {
    ReshardMovers movers = ReshardMovers::Both;
};

}  // namespace tessera
