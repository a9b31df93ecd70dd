// SPDX-License-Identifier: Apache-2.0
// Two Ethernet cores whose kernels exchange packets through slots in L1, by looking at flags in
// turn. No kernel of ours runs on an Ethernet core, so their loops are played here step by step.
// Source   tt-metal tests/tt_metal/microbenchmarks/ethernet, the kernels of
// test_all_ethernet_links_bandwidth.py.
#pragma once

#include <cstdint>

#include "bench/accuracy/unreplayed_costs.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::score {

enum class Directions : std::uint8_t { OneWay, BothWays };

/// What a receiver does with a packet before it acknowledges it.
enum class Receiver : std::uint8_t {
    Keeps,
    WritesByTransaction,  ///< writes it to a worker; asks for the write's end by transaction id
    WritesAndFlushes      ///< writes it to a worker and stands still until the write has left
};

struct EthernetStream {
    std::uint32_t packet_bytes = 0;
    std::uint32_t num_packets = 0;  ///< of each sender
    Directions directions = Directions::OneWay;
    Receiver receiver = Receiver::Keeps;
};

/// From the first packet to the last acknowledgement at one sender.
[[nodiscard]] Seconds duration_of(const EthernetStream& stream, const TimingSpec& timing,
                                  const UnreplayedCosts& costs);

}  // namespace tessera::score
