// SPDX-License-Identifier: Apache-2.0
// Allocation of the buffer at an input of a router. Each virtual channel has one flit of its own
// and may take a share of the rest, as much as hides the round trip of a hop. Stopped packets keep
// their share, and so do waiting read requests, one flit each. If they have taken all of it, a
// channel has only its own flit: it sends one flit a round trip, not one a cycle, and its packet
// holds VCs all that time.
// Source   tt-isa-documentation, WormholeB0/DRAMTile/README.md, "Performance": 2 KiB an input, of
//          which 32 B are each channel's own and up to 480 B of the rest one channel's; "software
//          is encouraged to limit its number of outstanding read requests".
#pragma once

#include <algorithm>
#include <cstdint>

#include "emu/timing/network/resource_table.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/timing_spec.hpp"

namespace tessera::timing {

class RouterBuffer {
public:
    RouterBuffer(const NocSpec& noc, const NocTiming& timing)
        : flit_(static_cast<std::uint32_t>(noc.flit.value)),
          channel_(static_cast<std::uint32_t>(timing.channel_buffer.value)),
          shared_(static_cast<std::uint32_t>(timing.router_buffer.value) -
                  kNocVirtualChannels * flit_) {}

    [[nodiscard]] std::uint32_t flit() const noexcept { return flit_; }
    /// Returns the bytes that a packet of `payload` takes in buffers: a header of one flit, and
    /// whole flits. Because of the header, a payload of just a channel's buffer (512 B on Wormhole,
    /// 1 KiB on Blackhole) holds the VC behind it as well when it stops.
    /// Source   tt-isa-documentation, WormholeB0/NoC/README.md.
    [[nodiscard]] std::uint32_t length(std::uint32_t payload) const noexcept {
        return (payload + 2 * flit_ - 1) / flit_ * flit_;
    }
    /// Returns the largest number of bytes that one channel can hold.
    [[nodiscard]] std::uint32_t channel() const noexcept { return channel_; }

    /// Changes a channel's share of the buffer behind `link` to what `bytes` need, as far as there
    /// is room. `taken` is its share before and after. Returns the bytes that the channel can hold
    /// then, its own flit included.
    std::uint32_t fill(Resource& link, std::uint32_t& taken, std::uint32_t bytes) const noexcept {
        const std::uint32_t wanted = std::max(std::min(bytes, channel_), flit_) - flit_;
        const std::uint32_t given = std::min(wanted, taken + shared_ - link.shared_taken);
        link.shared_taken += given - taken;
        taken = given;
        return flit_ + given;
    }
    /// Returns a channel's whole share.
    static void give_back(Resource& link, std::uint32_t& taken) noexcept {
        link.shared_taken -= taken;
        taken = 0;
    }

    /// Returns whether a channel that has used its own flit can get another of the buffer behind
    /// `link`.
    [[nodiscard]] bool has_flit_left(const Resource& link) const noexcept {
        return link.shared_taken + flit_ <= shared_;
    }

    /// Returns how many shared bytes other channels may have taken so that `bytes` still pass an
    /// empty channel at the wire's rate.
    [[nodiscard]] std::uint32_t most_taken(std::uint32_t bytes) const noexcept {
        return flit_ + shared_ - std::min(bytes, channel_);
    }
    /// Returns how long bytes take over `link` if other channels have taken more than that. Without
    /// them the bytes take `duration`.
    [[nodiscard]] Millicycles throttled(const Resource& link, Millicycles duration) const noexcept {
        return duration * channel_ / (flit_ + shared_ - link.shared_taken);
    }

private:
    std::uint32_t flit_;
    std::uint32_t channel_;
    std::uint32_t shared_;
};

}  // namespace tessera::timing
