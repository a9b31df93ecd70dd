// SPDX-License-Identifier: Apache-2.0
// Rules of the hop loop (virtual_channels.cpp), one row per packet class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::timing {

/// Class of a packet that passes a NoC hop by hop.
enum class PacketClass : std::uint8_t {
    Data,     ///< payload of a write, word or atomic
    Request,  ///< read request: one flit, without payload
    Answer,   ///< data that answers a read
};

/// Rules that a class of packets follows at each hop.
struct PacketPolicy {
    std::uint8_t vc_group =
        0;                    ///< group on its side of the dateline: 0 requests and data, 1 answers
    bool takes_wire = true;   ///< books the link's time; a single flit does not
    bool takes_slot = false;  ///< needs a request slot of the port at the end of its route
    bool needs_own_flit =
        false;  ///< needs a whole flit in each buffer; other classes are throttled
};

// A request is a header of one flit. If other packets have taken all of a router's shared buffer, a
// request waits in its virtual channel's own flit, and the next request stops one router earlier.
// There it blocks requests to other ports and data, because tt-metal puts all of these on one
// static virtual channel.
// Source   tt-isa-documentation, WormholeB0/DRAMTile/README.md: requests for reads occupy 32 B of
//          buffer each, "so software is encouraged to limit" them; tt-metal,
//          noc_nonblocking_api.h.
inline constexpr std::array<PacketPolicy, 3> kPacketPolicies{
    {{.vc_group = 0},
     {.vc_group = 0, .takes_wire = false, .takes_slot = true, .needs_own_flit = true},
     {.vc_group = 1}}};

/// Returns the rules of a class.
[[nodiscard]] constexpr const PacketPolicy& policy_of(PacketClass of) noexcept {
    return kPacketPolicies[static_cast<std::size_t>(of)];
}

}  // namespace tessera::timing
