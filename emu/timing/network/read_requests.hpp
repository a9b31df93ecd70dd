// SPDX-License-Identifier: Apache-2.0
// Requests of reads on their way. Each is one flit and takes next to no time of a link; but a port
// accepts only so many before it answers, and those that it does not accept fill the buffers of the
// routers behind, where they are in the way of requests to other ports.
// Source   tt-isa-documentation, WormholeB0/DRAMTile/README.md: requests for reads occupy 32 bytes
//          of buffer each, "so software is encouraged to limit" them.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/timing/network/noc_route.hpp"
#include "emu/timing/network/resource_table.hpp"
#include "emu/timing/network/transfer.hpp"

namespace tessera::timing {

class ReadRequests {
public:
    ReadRequests(const Machine& machine, const ResourceTable& resources, TransferPool& transfers);

    /// The request of `transfer` leaves its interface.
    void launch(std::uint32_t transfer);
    /// The port that a request had reached accepts one more.
    void answered(const Transfer& transfer);
    /// Transfers that ports have accepted since the last call, for their arrival to be scheduled:
    /// their `request_hops` are what was left of their way.
    [[nodiscard]] std::vector<std::uint32_t>& accepted() noexcept { return accepted_; }

private:
    struct Buffer {
        std::uint32_t first = kNobody;
        std::uint32_t last = kNobody;
        std::uint32_t count = 0;
    };
    /// A buffer behind a link, or a port.
    struct Place {
        bool is_port = false;
        std::uint32_t number = 0;  ///< channel of the link, or ejection port
        CoreCoord node;            ///< behind the link
        NocAxis axis{};            ///< of the link
        std::uint32_t bit = 0;     ///< dateline
    };
    [[nodiscard]] Place source_of(const Transfer& transfer) const;
    [[nodiscard]] Place behind(const Transfer& transfer, const Place& place) const;
    /// Moves a request from `from` as far as there is room. Returns whether it has moved.
    bool proceed(std::uint32_t transfer, const Place& from);
    void push(Buffer& buffer, std::uint32_t transfer, const Place& place);
    /// Moves what waited for room in a buffer or at a port.
    void refill(const Place& place, std::uint32_t device, std::uint32_t noc);
    bool pull_from(std::uint32_t buffer, const Place& into);
    void vacated(std::uint32_t buffer, const Place& place, std::uint32_t device, std::uint32_t noc);
    [[nodiscard]] std::uint32_t source_buffer(std::uint32_t device, std::uint32_t noc,
                                              CoreCoord node) const;

    const ResourceTable& resources_;
    TransferPool& transfers_;
    std::vector<NocRoute> routes_;
    std::uint32_t buffer_requests_;  ///< that the buffer of one virtual channel holds
    std::uint32_t port_requests_;
    std::vector<Buffer> buffers_;         ///< by channel of a link; then by node: at its interface
    std::vector<std::uint32_t> at_port_;  ///< by ejection port: accepted and not answered
    std::vector<std::uint32_t> turns_;    ///< by port or link: input that is served next
    std::vector<std::uint32_t> accepted_;
};

}  // namespace tessera::timing
