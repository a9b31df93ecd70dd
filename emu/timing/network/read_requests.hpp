// SPDX-License-Identifier: Apache-2.0
// Requests of reads on their way. Each is one flit and takes next to no time of a link; but a port
// accepts only so many before it answers, and those that it does not accept fill the buffers of the
// routers behind, where they are in the way of requests to other ports.
// Source   tt-isa-documentation, WormholeB0/DRAMTile/README.md: requests for reads occupy 32 bytes
//          of buffer each, "so software is encouraged to limit" them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/network/route_table.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

class ReadRequests {
public:
    ReadRequests(const Machine& machine, const ResourceTable& resources, RouteTable& routes,
                 TransferPool& transfers);

    /// The request of `transfer` leaves its interface.
    void launch(std::uint32_t transfer);
    /// The port that a request had reached accepts one more.
    void answered(const Transfer& transfer);
    /// Transfers that ports have accepted since the last call, for their arrival to be scheduled:
    /// their `request_hops` are what was left of their way.
    [[nodiscard]] std::vector<std::uint32_t>& accepted() noexcept { return accepted_; }

private:
    /// Of a link's virtual channel, or of a node's interface: the requests that have not left it.
    /// Of a port only `room` is used.
    struct Buffer {
        std::uint32_t first = kNobody;
        std::uint32_t last = kNobody;
        std::uint32_t room = 0;        ///< for so many more
        std::uint32_t next = kNobody;  ///< channel that the first waits for; nobody: it is empty
    };
    /// Buffers whose requests come into a node: along x and y, two virtual channels each, and from
    /// its interface. Counted from the first channel of the network.
    using Inputs = std::array<std::uint32_t, 5>;

    /// Virtual channels from its interface to its port; by place on the way.
    struct Way {
        std::span<const std::uint16_t> channels;
        std::uint32_t base = 0;
        [[nodiscard]] std::uint32_t operator[](std::uint32_t place) const noexcept {
            return base + channels[place];
        }
        [[nodiscard]] std::uint32_t port() const noexcept {
            return static_cast<std::uint32_t>(channels.size() - 1);
        }
    };
    [[nodiscard]] static Way way_of(const Transfer& transfer) noexcept {
        return {transfer.way, transfer.way_base};
    }
    /// Whether a channel, or the port if it is one of a port's, takes one more.
    [[nodiscard]] bool has_room(std::uint32_t channel) const noexcept {
        return buffers_[channel].room > 0;
    }
    /// Moves a request from `place` of its way as far as there is room.
    /// Precondition   there is room in the channel behind that place.
    void proceed(std::uint32_t transfer, std::uint32_t place);
    void push(std::uint32_t buffer, std::uint32_t transfer, std::uint32_t place,
              std::uint32_t next);
    /// Moves what waited for room in a buffer or at a port, given by its channel.
    void refill(std::uint32_t channel);
    /// Lets the first request of a buffer proceed.
    void pull_from(std::uint32_t buffer);
    /// Lets requests proceed that stood behind one that has left, and those behind these.
    void vacated(std::uint32_t buffer);

    const ResourceTable& resources_;
    RouteTable& routes_;
    TransferPool& transfers_;
    std::uint32_t channels_per_network_;
    std::array<std::vector<Inputs>, 2> inputs_;  ///< by noc and node
    std::vector<Buffer> buffers_;                ///< by channel
    std::vector<std::uint32_t> turns_;           ///< by port or link: input that is served next
    std::vector<std::uint32_t> accepted_;
};

}  // namespace tessera::timing
