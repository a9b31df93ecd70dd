// SPDX-License-Identifier: Apache-2.0
// Costs of acts that traced kernels do not contain: single coprocessor instructions, and Ethernet
// cores without a router. Only formulas of the score read them, so they are not keys of
// configs/arch.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::score {

/// Costs; the name of a member ends with its unit.
struct UnreplayedCosts {
    // Instructions of the coprocessor, which its threads issue at the same time.
    double issue_cycles = 0;               ///< one thread to any unit, each instruction
    double scalar_unit_cycles = 0;         ///< arithmetic on the scalar unit's registers
    double configuration_read_cycles = 0;  ///< one register
    /// Instruction of the matrix unit, for each thread that shares the unit.
    double math_handover_cycles = 0;

    // Ethernet core to Ethernet core, without a router at either end.
    double core_latency_ns = 0;   ///< first byte
    double core_send_ns = 0;      ///< each packet sent
    double core_receive_ns = 0;   ///< each packet received and acknowledged
    double core_deliver_ns = 0;   ///< additional time of a packet that is written to a worker
    double core_track_ns = 0;     ///< additional time if a transaction id tracks that write
    double core_poll_cycles = 0;  ///< each poll for packets or acknowledgements
    /// Mean number of loads of a line in the core's data cache until the cache flushes itself.
    /// 0: the core has no such cache.
    double core_loads_until_flush = 0;
};

/// The costs at the fast ends of their ranges, as stated, and at the slow ends.
struct UnreplayedBounds {
    UnreplayedCosts low;
    UnreplayedCosts expected;
    UnreplayedCosts high;
};

/// Returns the costs of "wormhole" or "blackhole".
[[nodiscard]] UnreplayedBounds unreplayed_costs(std::string_view architecture);

/// Returns `count` draws of the costs, as config::draw_timing.
[[nodiscard]] std::vector<UnreplayedCosts> draw_costs(const UnreplayedBounds& bounds,
                                                      std::uint32_t count);

}  // namespace tessera::score
