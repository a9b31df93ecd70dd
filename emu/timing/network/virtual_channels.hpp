// SPDX-License-Identifier: Apache-2.0
// Models wormhole switching of unicast writes on one static virtual channel.
//
// A packet's head acquires the channel of one link after the other; where one is held it waits for
// its turn, while its body holds the links behind, up to `noc.channel_buffer` bytes in each router.
// Routers serve their inputs round robin, so traffic from near gets more than traffic from far: a
// flow that joins at the last router shares with all others at once. Past the dateline of a ring
// packets use the second channel, or they would wait for each other around it.
// Source   tt-isa-documentation, WormholeB0/NoC/README.md (dateline bit, static channels) and
//          WormholeB0/DRAMTile/README.md (32 B of a router's buffer for each channel, and up to
//          480 B of what is shared).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/packet_path.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

class VirtualChannels {
public:
    /// `buffer` is what one router holds of a packet whose head waits.
    VirtualChannels(std::uint32_t count, Bytes buffer, TransferPool& transfers)
        : buffer_(static_cast<std::uint32_t>(buffer.value)),
          transfers_(transfers),
          channels_(count) {}

    /// Acquires the channels of the packet of `transfer` along `path`, as far as they are free from
    /// `now` on, and returns whether it has them all. If so, offsets of `path` count from where the
    /// head is; if not, the transfer comes back with an event of its own.
    bool try_acquire(std::uint32_t transfer, PacketPath& path, Millicycles now, EventQueue& queue);
    /// Releases them as the tail passes, of a packet that moves from `now` on.
    void release(std::uint32_t transfer, const PacketPath& path, Millicycles now,
                 EventQueue& queue);

private:
    struct Channel {
        Calendar calendar;
        bool is_held = false;
        std::uint8_t next_input = 0;  ///< served next, if a packet waits there
        std::array<std::uint32_t, kRouterInputs> first{kNone, kNone, kNone};
        std::array<std::uint32_t, kRouterInputs> last{kNone, kNone, kNone};
        [[nodiscard]] bool has_queue() const noexcept {
            return (first[0] & first[1] & first[2]) != kNone;
        }
    };
    void wait(std::uint32_t transfer, const Reservation& at, Millicycles now, EventQueue& queue);
    void leave_queue(std::uint32_t transfer, const Reservation& at);
    void release_channel(Channel& channel, Millicycles begin, Millicycles end, Millicycles now,
                         EventQueue& queue);
    void grant_next(Channel& channel, Millicycles now, EventQueue& queue);
    /// Releases the channels that a waiting packet's body no longer reaches.
    void release_tail(Transfer& transfer, const PacketPath& path, Millicycles now,
                      EventQueue& queue);

    std::uint32_t buffer_;
    TransferPool& transfers_;
    std::vector<Channel> channels_;
};

}  // namespace tessera::timing
