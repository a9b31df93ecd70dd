// SPDX-License-Identifier: Apache-2.0
// In what classes of packets differ as they pass hops of a NoC: a row each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera::timing {

enum class PacketClass : std::uint8_t {
    Data,     ///< a write, a word or an atomic
    Request,  ///< of a read: a flit that asks for the data
    Answer,   ///< of a read: the data
};

struct PacketPolicy {
    std::uint8_t channels = 0;    ///< which of a link's: 0 of requests and data, 1 of answers
    bool takes_wire = true;       ///< a single flit takes none of a link's time
    bool takes_slot = false;      ///< of the port at the end, which accepts so many
    bool needs_own_flit = false;  ///< in each buffer; others flow slower where there is none left
};

// A request is a header of one flit. Where others have taken all that a router's buffer shares, one
// waits in a channel's own flit and the next stands further back, in the way of requests to other
// ports and of data: tt-metal has them all on one static channel.
// Source   tt-isa-documentation, WormholeB0/DRAMTile/README.md: requests for reads occupy 32 B of
//          buffer each, "so software is encouraged to limit" them; tt-metal,
//          noc_nonblocking_api.h.
inline constexpr std::array<PacketPolicy, 3> kPacketPolicies{
    {{.channels = 0},
     {.channels = 0, .takes_wire = false, .takes_slot = true, .needs_own_flit = true},
     {.channels = 1}}};

[[nodiscard]] constexpr const PacketPolicy& policy_of(PacketClass of) noexcept {
    return kPacketPolicies[static_cast<std::size_t>(of)];
}

}  // namespace tessera::timing
