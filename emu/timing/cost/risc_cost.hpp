// SPDX-License-Identifier: Apache-2.0
// Prices calls of the data-movement API: what they cost the RISC that makes them.
#pragma once

#include <cstdint>

#include "tessera/timeline.hpp"
#include "tessera/timing_spec.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

struct RiscCost {
    Millicycles read = 0;  ///< each packet
    Millicycles read_dram = 0;
    Millicycles read_with_state = 0;
    Millicycles write = 0;
    Millicycles write_with_state = 0;
    Millicycles set_state = 0;
    Millicycles page_address = 0;
    Millicycles multicast = 0;
    Millicycles semaphore = 0;
    Millicycles barrier = 0;
    Millicycles semaphore_poll = 0;
    Millicycles local_word = 0;
    Millicycles cb_reserve = 0;
    Millicycles cb_push = 0;
    Millicycles cb_wait = 0;
    Millicycles cb_pop = 0;
    Millicycles cb_compute = 0;  ///< any CB call of unpack or pack
    Millicycles zone = 0;
    Millicycles instruction = 0;
    Millicycles load_wait = 0;  ///< each cycle that the pass counted, as those below
    Millicycles store_wait = 0;
    Millicycles product_wait = 0;
    Millicycles dividend_bit = 0;
    Millicycles loop_control = 0;
    Millicycles fabric = 0;      ///< each call to the fabric's sender
    Millicycles mux_slot = 0;    ///< of a mux, each packet
    Millicycles mux_credit = 0;  ///< of the same while the packet leaves
    Millicycles fabric_open = 0;
    Millicycles fabric_close = 0;

    explicit RiscCost(const TimingSpec& timing);

    /// Returns the cost of one packet of a read, write or multicast.
    [[nodiscard]] Millicycles of_packet(const TraceEvent& event) const noexcept;
    /// Returns the cost of working out a page's address, which comes before the first packet.
    [[nodiscard]] Millicycles of_address(TransferDetail detail) const noexcept {
        return detail.has(TransferDetail::kPage) ? page_address : 0;
    }
    /// Returns the cost of an Instructions event.
    [[nodiscard]] Millicycles of_instructions(const TraceEvent& event) const noexcept;
    /// Returns the cost of a CB call that does not wait.
    [[nodiscard]] Millicycles of_cb_call(EventKind kind, TimelineThread thread) const noexcept;
};

}  // namespace tessera::timing
