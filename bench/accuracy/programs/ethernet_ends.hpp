// SPDX-License-Identifier: Apache-2.0
// Two Ethernet cores whose kernels exchange packets through slots in L1 and poll flags in turn.
// Tessera runs no kernels on Ethernet cores, so this file simulates their loops step by step.
// Source   tt-metal tests/tt_metal/microbenchmarks/ethernet, the kernels of
//          test_all_ethernet_links_bandwidth.py.
#pragma once

#include <cstdint>

#include "bench/accuracy/unreplayed_costs.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::score {

enum class Directions : std::uint8_t { OneWay, BothWays };

/// Action of a receiver on a packet before it acknowledges the packet.
enum class Receiver : std::uint8_t {
    Keeps,
    WritesByTransaction,  ///< writes it to a worker and polls the write's transaction id
    WritesAndFlushes      ///< writes it to a worker and blocks until the write has left
};

struct EthernetStream {
    std::uint32_t packet_bytes = 0;
    std::uint32_t num_packets = 0;  ///< per sender
    Directions directions = Directions::OneWay;
    Receiver receiver = Receiver::Keeps;
};

/// Returns the time from the first packet to the last acknowledgement at one sender.
[[nodiscard]] Seconds duration_of(const EthernetStream& stream, const TimingSpec& timing,
                                  const UnreplayedCosts& costs);

}  // namespace tessera::score
