// SPDX-License-Identifier: Apache-2.0
// Holds what the engine knows of a transfer under way.
#pragma once

#include <cstdint>

#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

/// A packet that goes through a mux is under way twice.
enum class MuxLeg : std::uint8_t { None, ToMux, FromMux };

/// A transfer in the Transport.
struct InFlight {
    const TraceEvent* event = nullptr;
    const TraceEvent* word = nullptr;  ///< FabricAdd or FabricWord that a packet carries
    std::uint32_t thread = 0;
    std::uint16_t site = 0;
    MuxLeg leg = MuxLeg::None;
    std::uint8_t mux_channel = 0;
    std::uint32_t num_unsent = 0;  ///< packets still in the source; of reads none counts
    std::uint32_t mux = 0;
    Millicycles start = 0;
    Millicycles at_mux = 0;  ///< from its start until a mux sent it on
};

}  // namespace tessera::timing
