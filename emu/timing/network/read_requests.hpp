// SPDX-License-Identifier: Apache-2.0
// Moves requests of reads to the far end. Each is one flit and hardly takes time of a link; but a
// port accepts only so many before it answers, and those that it does not accept fill the buffers
// of the routers upstream, where they block requests to other ports (head-of-line blocking). Source
// tt-isa-documentation, WormholeB0/DRAMTile/README.md: requests for reads occupy 32 bytes
//          of buffer each, "so software is encouraged to limit" them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/network/route_table.hpp"
#include "emu/timing/network/router_buffer.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

class ReadRequests {
public:
    ReadRequests(const Machine& machine, const RouterBuffer& router_buffer,
                 ResourceTable& resources, RouteTable& routes, TransferPool& transfers);

    /// Sends the request of `transfer` off from its interface.
    void launch(std::uint32_t transfer);
    /// Frees the slot of a request that its port has answered, and grants it to the next.
    void answered(const Transfer& transfer);
    /// Returns the transfers that ports have accepted since the last call, for their arrival to be
    /// scheduled: their `request_hops` are what was left of their routes.
    [[nodiscard]] std::vector<std::uint32_t>& accepted() noexcept { return accepted_; }

private:
    /// The requests that have not left a link's virtual channel or a node's interface. Of a port
    /// only `free_slots` is used: its credits.
    struct Buffer {
        std::uint32_t first = kNone;
        std::uint32_t last = kNone;
        std::uint32_t free_slots = 0;
        std::uint32_t num = 0;           ///< requests in it
        std::uint32_t shared_taken = 0;  ///< by them, of the router's buffer
        std::uint32_t next = kNone;      ///< channel that the first waits for; kNone: it is empty
    };
    /// Buffers whose requests come into a node: along x and y, two virtual channels each, and from
    /// its interface. Counted from the first channel of the network.
    using Inputs = std::array<std::uint32_t, 5>;

    /// Virtual channels from a request's interface to its port, by place on the route.
    struct Route {
        std::span<const std::uint16_t> channels;
        std::uint32_t base = 0;
        [[nodiscard]] std::uint32_t operator[](std::uint32_t place) const noexcept {
            // A port counts requests of both sides of the dateline together.
            return base + (place == port() ? channels[place] & ~1U : channels[place]);
        }
        [[nodiscard]] std::uint32_t port() const noexcept {
            return static_cast<std::uint32_t>(channels.size() - 1);
        }
    };
    [[nodiscard]] static Route route_of(const Transfer& transfer) noexcept {
        return {transfer.route.channels, transfer.route.base};
    }
    /// Returns whether a channel, or the port if it is one of a port's, has a slot. A channel has
    /// one of its own; for more the router's buffer needs to have some left.
    [[nodiscard]] bool has_free_slot(std::uint32_t channel) const noexcept {
        const Buffer& buffer = buffers_[channel];
        return buffer.free_slots > 0 &&
               (buffer.num == 0 || router_buffer_.has_flit_left(resources_[channel / 2]));
    }
    /// Moves a request from `place` of its route as far as it finds free slots.
    /// Precondition   the channel behind that place has one.
    void proceed(std::uint32_t transfer, std::uint32_t place);
    /// Sets the slots of all buffers.
    void size_buffers(const Machine& machine);
    /// Finds the buffers whose requests come into each node.
    void find_inputs(GridSize grid);
    void push(std::uint32_t buffer, std::uint32_t transfer, std::uint32_t place,
              std::uint32_t next);
    /// Takes what `num` requests need of the router's buffer, or gives back what fewer do.
    void hold(std::uint32_t buffer, std::uint32_t num);
    /// Grants the free slots of a channel, or of a port, to the inputs that wait for them, round
    /// robin.
    void grant(std::uint32_t channel);
    /// Moves on the first request of a buffer.
    void advance_head(std::uint32_t buffer);
    /// Moves on the requests that stood behind one that has left, and those upstream.
    void on_slot_freed(std::uint32_t buffer);

    const RouterBuffer& router_buffer_;
    ResourceTable& resources_;
    RouteTable& routes_;
    TransferPool& transfers_;
    std::uint32_t channels_per_network_;
    std::array<std::vector<Inputs>, 2> inputs_;  ///< by noc and node
    std::vector<Buffer> buffers_;                ///< by channel
    std::vector<std::uint32_t> next_input_;      ///< by port or link: round robin
    std::vector<std::uint32_t> accepted_;
};

}  // namespace tessera::timing
