// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/read_requests.hpp"

#include "emu/timing/network/virtual_channels.hpp"

namespace tessera::timing {

namespace {

/// Two for each of a node's four ports and links.
constexpr std::uint32_t kChannelsPerNode = 8;

bool is_of_port(std::size_t channel) {
    return channel / 2 % (kChannelsPerNode / 2) == ResourceTable::ejection(0);
}

bool is_source(std::size_t channel) {
    return channel / 2 % (kChannelsPerNode / 2) == ResourceTable::injection(0);
}

}  // namespace

// Numbers of ports and links go up in fours by node: injection, ejection, link along x, along y.
// The two channels of an injection port, which are of no use otherwise, stand for the requests that
// have not left their interface.
ReadRequests::ReadRequests(const Machine& machine, const ResourceTable& resources,
                           RouteTable& routes, TransferPool& transfers)
    : resources_(resources),
      routes_(routes),
      transfers_(transfers),
      channels_per_network_(2 * resources.network(0, 1)),
      buffers_(2 * std::size_t{resources.num_ports()}),
      turns_(resources.num_ports()) {
    accepted_.reserve(64);
    const auto flit = static_cast<std::uint32_t>(machine.arch.noc.flit.value);
    for (std::size_t channel = 0; channel < buffers_.size(); ++channel) {
        buffers_[channel].room = is_source(channel)    ? kNobody
                                 : is_of_port(channel) ? machine.timing.noc.port_requests
                                                       : kChannelBuffer / flit;
    }
    const GridSize grid = machine.arch.noc.grid;
    for (std::uint32_t noc = 0; noc < 2; ++noc) {
        for (std::uint32_t node = 0; node < grid.columns * grid.rows; ++node) {
            const CoreCoord at{node % grid.columns, node / grid.columns};
            const auto link_into = [&](NocAxis axis) {
                const CoreCoord from = routes.route(noc).previous(at, axis);
                return 2 * ResourceTable::link(from.y * grid.columns + from.x, axis);
            };
            const std::uint32_t x = link_into(NocAxis::X);
            const std::uint32_t y = link_into(NocAxis::Y);
            inputs_[noc].push_back({x, x + 1, y, y + 1, 2 * ResourceTable::injection(node)});
        }
    }
}

void ReadRequests::push(std::uint32_t buffer, std::uint32_t number, std::uint32_t place,
                        std::uint32_t next) {
    Buffer& pushed = buffers_[buffer];
    transfers_[number].next_in_line = kNobody;
    transfers_[number].stalled_at = place;
    transfers_[number].stalled_next = next;
    if (pushed.first == kNobody) {
        pushed.first = number;
        pushed.next = next;
    } else {
        transfers_[pushed.last].next_in_line = number;
    }
    pushed.last = number;
    --pushed.room;
}

void ReadRequests::proceed(std::uint32_t number, std::uint32_t place) {
    Transfer& transfer = transfers_[number];
    const Way way = way_of(transfer);
    const std::uint32_t port = way.port();
    std::uint32_t here = place;
    while (here + 1 < port && buffers_[way[here + 1]].first == kNobody) {
        ++here;
    }
    const std::uint32_t next = way[here + 1];
    if (!has_room(next)) {
        push(way[here], number, here, next);
    } else if (here + 1 == port) {
        --buffers_[next].room;
        transfer.request_hops = port - 1 - place;
        accepted_.push_back(number);
    } else {
        push(next, number, here + 1, way[here + 2]);
    }
}

void ReadRequests::launch(std::uint32_t number) {
    Transfer& transfer = transfers_[number];
    const Request& request = transfer.request;
    transfer.way = routes_.of(request.noc, transfer.own, transfer.far);
    transfer.way_base = 2 * resources_.network(request.device, request.noc);
    const Way way = way_of(transfer);
    const std::uint32_t source = way[0];
    const std::uint32_t next = way[1];
    if (buffers_[source].first != kNobody || !has_room(next)) {
        push(source, number, 0, next);
    } else {
        proceed(number, 0);
    }
}

void ReadRequests::answered(const Transfer& transfer) {
    const Way way = way_of(transfer);
    const std::uint32_t port = way[way.port()];
    ++buffers_[port].room;
    refill(port);
}

void ReadRequests::pull_from(std::uint32_t buffer) {
    Buffer& left = buffers_[buffer];
    const std::uint32_t number = left.first;
    const std::uint32_t after = transfers_[number].next_in_line;
    proceed(number, transfers_[number].stalled_at);
    left.first = after;
    left.next = after == kNobody ? kNobody : transfers_[after].stalled_next;
    ++left.room;
}

void ReadRequests::vacated(std::uint32_t buffer) {
    while (buffers_[buffer].first != kNobody && has_room(buffers_[buffer].next)) {
        pull_from(buffer);
    }
    if (!is_source(buffer)) {
        refill(buffer);
    }
}

void ReadRequests::refill(std::uint32_t channel) {
    // Whoever comes into the router in front.
    const std::uint32_t network = channel / channels_per_network_;
    const std::uint32_t base = network * channels_per_network_;
    const Inputs& inputs = inputs_[network % 2][(channel - base) / kChannelsPerNode];
    std::uint32_t& turn = turns_[channel / 2];
    for (std::size_t idle = 0; idle < inputs.size() && has_room(channel);) {
        const std::uint32_t buffer = base + inputs[turn];
        turn = turn + 1 == inputs.size() ? 0 : turn + 1;
        ++idle;
        if (buffers_[buffer].next == channel) {
            pull_from(buffer);
            vacated(buffer);
            idle = 0;
        }
    }
}

}  // namespace tessera::timing
