// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/read_requests.hpp"

namespace tessera::timing {

namespace {

/// Of a router's buffer, for one virtual channel; a request takes one flit of it.
/// Source   tt-isa-documentation, WormholeB0/DRAMTile/README.md.
constexpr std::uint32_t kChannelBuffer = 512;

/// Two for each of a node's four ports and links.
constexpr std::uint32_t kChannelsPerNode = 8;

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
      buffer_requests_(kChannelBuffer / static_cast<std::uint32_t>(machine.arch.noc.flit.value)),
      port_requests_(machine.timing.noc.port_requests),
      buffers_(2 * std::size_t{resources.num_ports()}),
      at_port_(resources.num_ports()),
      turns_(resources.num_ports()) {
    accepted_.reserve(64);
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
    ++pushed.count;
}

bool ReadRequests::proceed(std::uint32_t number, std::uint32_t place) {
    const Way way = way_of(transfers_[number]);
    const std::uint32_t port = way.port();
    std::uint32_t here = place;
    while (here + 1 < port && buffers_[way[here + 1]].count == 0) {
        ++here;
    }
    const std::uint32_t next = way[here + 1];
    if (here + 1 == port && at_port_[next / 2] < port_requests_) {
        ++at_port_[next / 2];
        transfers_[number].request_hops = port - 1 - place;
        accepted_.push_back(number);
        return true;
    }
    if (here + 1 == port || buffers_[next].count >= buffer_requests_) {
        if (here == place) {
            return false;
        }
        push(way[here], number, here, next);
        return true;
    }
    push(next, number, here + 1, way[here + 2]);
    return true;
}

void ReadRequests::launch(std::uint32_t number) {
    Transfer& transfer = transfers_[number];
    const Request& request = transfer.request;
    transfer.way = routes_.of(request.noc, transfer.own, transfer.far);
    transfer.way_base = 2 * resources_.network(request.device, request.noc);
    const Way way = way_of(transfer);
    const std::uint32_t source = way[0];
    const std::uint32_t next = way[1];
    if (buffers_[source].count > 0 || !proceed(number, 0)) {
        push(source, number, 0, next);
    }
}

void ReadRequests::answered(const Transfer& transfer) {
    const Way way = way_of(transfer);
    const std::uint32_t port = way[way.port()];
    --at_port_[port / 2];
    refill(port);
}

void ReadRequests::pop(Buffer& buffer, std::uint32_t after) {
    buffer.first = after;
    buffer.next = after == kNobody ? kNobody : transfers_[after].stalled_next;
    --buffer.count;
}

bool ReadRequests::pull_from(std::uint32_t buffer) {
    const std::uint32_t number = buffers_[buffer].first;
    const std::uint32_t after = transfers_[number].next_in_line;
    if (!proceed(number, transfers_[number].stalled_at)) {
        return false;
    }
    pop(buffers_[buffer], after);
    vacated(buffer);
    return true;
}

void ReadRequests::vacated(std::uint32_t buffer) {
    while (buffers_[buffer].first != kNobody) {
        const std::uint32_t number = buffers_[buffer].first;
        const std::uint32_t after = transfers_[number].next_in_line;
        if (!proceed(number, transfers_[number].stalled_at)) {
            break;
        }
        pop(buffers_[buffer], after);
    }
    const bool is_source = buffer % kChannelsPerNode < 2;
    if (!is_source) {
        refill(buffer);
    }
}

void ReadRequests::refill(std::uint32_t channel) {
    // Whoever comes into the router in front.
    const std::uint32_t network = channel / channels_per_network_;
    const std::uint32_t base = network * channels_per_network_;
    const Inputs& inputs = inputs_[network % 2][(channel - base) / kChannelsPerNode];
    std::uint32_t& turn = turns_[channel / 2];
    for (std::size_t idle = 0; idle < inputs.size();) {
        const std::uint32_t input = turn;
        const std::uint32_t buffer = base + inputs[input];
        turn = input + 1 == inputs.size() ? 0 : input + 1;
        idle = buffers_[buffer].next == channel && pull_from(buffer) ? 0 : idle + 1;
    }
}

}  // namespace tessera::timing
