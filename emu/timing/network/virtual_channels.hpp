// SPDX-License-Identifier: Apache-2.0
// How a packet worms through the network on one virtual channel: its head takes the channel of one
// link after the other, and of a link that is taken waits its turn, while its body holds the links
// behind. Routers let their inputs take turns, so who comes from near gets more than who comes from
// far. Beyond the link that closes a ring packets use another channel, or they would wait for each
// other around it.
// Source   tt-isa-documentation, WormholeB0/NoC/README.md and DRAMTile/README.md: static virtual
//          channels, dateline bit, up to 512 bytes of a router's buffer for each.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/timing/event_queue.hpp"
#include "emu/timing/network/packet_path.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

/// Bytes of a router's buffer for one virtual channel: what it holds of a packet whose head waits.
/// A read request takes one flit of it.
inline constexpr std::uint32_t kChannelBuffer = 512;

class VirtualChannels {
public:
    VirtualChannels(std::uint32_t count, TransferPool& transfers)
        : transfers_(transfers), channels_(count) {}

    /// Holds the channels of the packet of `transfer` along `path`, as far as they are to be had
    /// from `now` on, and returns whether it has them all. If so, offsets of `path` are seen from
    /// where the head is; if not, the transfer comes back with an event of its own.
    bool try_hold(std::uint32_t transfer, PacketPath& path, Millicycles now, EventQueue& queue);
    /// Gives them back as the tail passes, of a packet that moves from `now` on.
    void release(std::uint32_t transfer, const PacketPath& path, Millicycles now,
                 EventQueue& queue);

private:
    struct Channel {
        Calendar calendar;
        bool is_held = false;
        std::uint8_t turn = 0;  ///< input that is served next, if someone waits there
        std::array<std::uint32_t, kRouterInputs> first{kNobody, kNobody, kNobody};
        std::array<std::uint32_t, kRouterInputs> last{kNobody, kNobody, kNobody};
        [[nodiscard]] bool has_line() const noexcept {
            return (first[0] & first[1] & first[2]) != kNobody;
        }
    };
    void wait(std::uint32_t transfer, const PathStep& step, Millicycles now, EventQueue& queue);
    void leave_line(std::uint32_t transfer, const PathStep& step);
    void give_back(Channel& channel, Millicycles begin, Millicycles end, Millicycles now,
                   EventQueue& queue);
    void call_next(Channel& channel, Millicycles now, EventQueue& queue);

    TransferPool& transfers_;
    std::vector<Channel> channels_;
};

}  // namespace tessera::timing
