// SPDX-License-Identifier: Apache-2.0
// What a packet costs on a mesh link: time on the wire by Ethernet frames, and time of the routers
// at both ends, each of which handles one packet at a time whichever way it goes.
#pragma once

#include <cstdint>

#include "emu/timing/network/pace.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {

struct MeshTimes {
    MeshTimes(const LinkTiming& link, Hertz clock)
        : hop_latency(to_millicycles(link.hop_latency, clock)),
          send(to_millicycles(link.packet_slot, clock)),
          receive(to_millicycles(link.receive_slot, clock)),
          deliver(to_millicycles(link.deliver_slot, clock)),
          wire_(Cycles{0}, BytesPerCycle{link.rate.value / clock.value}),
          header_(link.packet_overhead.value),
          frame_(link.frame.value),
          frame_overhead_(link.frame_overhead.value) {}

    /// Header and payload, cut into frames.
    /// Source   tt-metal, tech_reports/CCLs/CCL_bandwidth.md: P / (P + H + 50 · ⌈(P + H) / 1500⌉).
    [[nodiscard]] Millicycles wire(std::uint64_t payload) const noexcept {
        const std::uint64_t bytes = payload + header_;
        const std::uint64_t frames = (bytes + frame_ - 1) / frame_;
        return wire_.of(bytes + frames * frame_overhead_);
    }

    Millicycles hop_latency;
    Millicycles send;
    Millicycles receive;
    Millicycles deliver;

private:
    Pace wire_;
    std::uint64_t header_;
    std::uint64_t frame_;
    std::uint64_t frame_overhead_;
};

}  // namespace tessera::timing
