// SPDX-License-Identifier: Apache-2.0
// The engine's record of a transfer under way.
#pragma once

#include <cstdint>

#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

/// Leg of a packet that passes a mux: to the mux, or from it to the sender.
enum class MuxLeg : std::uint8_t { None, ToMux, FromMux };

/// Transfer in the Transport: the event that it replays and the thread that waits for it.
struct InFlight {
    const TraceEvent* event = nullptr;
    const TraceEvent* word = nullptr;  ///< FabricAdd or FabricWord that a packet carries
    std::uint32_t thread = 0;
    std::uint16_t site = 0;
    MuxLeg leg = MuxLeg::None;
    std::uint8_t mux_channel = 0;
    std::uint32_t num_unsent = 0;  ///< packets still in the source; 0 for reads
    std::uint32_t mux = 0;
    Millicycles start = 0;
    Millicycles at_mux = 0;  ///< time from its start until a mux has sent it
};

}  // namespace tessera::timing
