// SPDX-License-Identifier: Apache-2.0
// Prices calls of the data-movement API: time of the RISC that makes them.
#pragma once

#include <cstdint>

#include "emu/timing/cost/times.hpp"
#include "tessera/timeline.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

/// Adds to the constants of timing.risc what is derived from several of them.
struct RiscCost : RiscTimes {
    Millicycles load_wait = 0;   ///< each wait cycle that the compiler pass counted for loads
    Millicycles store_wait = 0;  ///< the same for stores
    Millicycles product_wait = 0;

    explicit RiscCost(const TimingSpec& timing);

    /// Returns the cost of one packet of a read, write or multicast.
    [[nodiscard]] Millicycles of_packet(const TraceEvent& event) const noexcept;
    /// Returns the cost of computing a page's address, before the first packet.
    [[nodiscard]] Millicycles of_address(TransferDetail detail) const noexcept {
        return detail.has(TransferDetail::kPage) ? page_address : 0;
    }
    /// Returns the cost of an Instructions event.
    [[nodiscard]] Millicycles of_instructions(const TraceEvent& event) const noexcept;
    /// Returns the cost of a CB call of a data-movement RISC that does not wait.
    [[nodiscard]] Millicycles of_cb_call(EventKind kind) const noexcept;
};

}  // namespace tessera::timing
