// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/read_requests.hpp"

#include <array>

namespace tessera::timing {

namespace {

/// Of a router's buffer, for one virtual channel; a request takes one flit of it.
/// Source   tt-isa-documentation, WormholeB0/DRAMTile/README.md.
constexpr std::uint32_t kChannelBuffer = 512;

}  // namespace

// Numbers of ports and links go up in fours by node: injection, ejection, link along x, along y.
// The two channels of an injection port, which are of no use otherwise, stand for the requests that
// have not left their interface.
ReadRequests::ReadRequests(const Machine& machine, const ResourceTable& resources,
                           TransferPool& transfers)
    : resources_(resources),
      transfers_(transfers),
      routes_{NocRoute{machine.arch.noc.grid, 0}, NocRoute{machine.arch.noc.grid, 1}},
      buffer_requests_(kChannelBuffer / static_cast<std::uint32_t>(machine.arch.noc.flit.value)),
      port_requests_(machine.timing.noc.port_requests),
      buffers_(2 * std::size_t{resources.num_ports()}),
      at_port_(resources.num_ports()),
      turns_(resources.num_ports()) {
    accepted_.reserve(64);
}

std::uint32_t ReadRequests::source_buffer(std::uint32_t device, std::uint32_t noc,
                                          CoreCoord node) const {
    return 2 * resources_.injection(device, noc, node);
}

ReadRequests::Place ReadRequests::source_of(const Transfer& transfer) const {
    const Request& request = transfer.request;
    return {false, source_buffer(request.device, request.noc, transfer.own), transfer.own,
            routes_[request.noc].first_axis(), 0};
}

ReadRequests::Place ReadRequests::behind(const Transfer& transfer, const Place& place) const {
    const Request& request = transfer.request;
    const NocRoute& route = routes_[request.noc];
    if (place.node == transfer.far) {
        return {true, resources_.ejection(request.device, request.noc, place.node), place.node,
                place.axis, 0};
    }
    const NocAxis first = route.first_axis();
    const bool turns = NocRoute::at(place.node, first) == NocRoute::at(transfer.far, first);
    const NocAxis second = first == NocAxis::X ? NocAxis::Y : NocAxis::X;
    const NocAxis axis = turns ? second : first;
    const std::uint32_t link = resources_.link(request.device, request.noc, place.node, axis);
    // The bit is that of the link's own ring up to here; a turn begins a new ring.
    const std::uint32_t bit = axis == place.axis ? place.bit : 0;
    const std::uint32_t wraps = route.wraps(place.node, axis) ? 1U : 0U;
    return {false, 2 * link + bit, route.next(place.node, axis), axis, bit | wraps};
}

void ReadRequests::push(Buffer& buffer, std::uint32_t number, const Place& place) {
    transfers_[number].next_in_line = kNobody;
    transfers_[number].stalled_at = place.node;
    transfers_[number].stalled_axis = place.axis;
    transfers_[number].stalled_bit = place.bit;
    (buffer.first == kNobody ? buffer.first : transfers_[buffer.last].next_in_line) = number;
    buffer.last = number;
    ++buffer.count;
}

bool ReadRequests::proceed(std::uint32_t number, const Place& from) {
    const Transfer& transfer = transfers_[number];
    Place here = from;
    while (true) {
        const Place next = behind(transfer, here);
        if (next.is_port && at_port_[next.number] < port_requests_) {
            ++at_port_[next.number];
            transfers_[number].request_hops =
                routes_[transfer.request.noc].hops(from.node, transfer.far);
            accepted_.push_back(number);
            return true;
        }
        const std::uint32_t count = next.is_port ? buffer_requests_ : buffers_[next.number].count;
        if (count >= buffer_requests_) {
            if (here.number == from.number) {
                return false;
            }
            push(buffers_[here.number], number, here);
            return true;
        }
        if (count > 0) {
            push(buffers_[next.number], number, next);
            return true;
        }
        here = next;
    }
}

void ReadRequests::launch(std::uint32_t number) {
    const Place source = source_of(transfers_[number]);
    Buffer& buffer = buffers_[source.number];
    if (buffer.count > 0 || !proceed(number, source)) {
        push(buffer, number, source);
    }
}

void ReadRequests::answered(const Transfer& transfer) {
    const Request& request = transfer.request;
    const std::uint32_t port = resources_.ejection(request.device, request.noc, transfer.far);
    --at_port_[port];
    refill({true, port, transfer.far, NocAxis::X, 0}, request.device, request.noc);
}

bool ReadRequests::pull_from(std::uint32_t buffer, const Place& into) {
    const std::uint32_t number = buffers_[buffer].first;
    if (number == kNobody) {
        return false;
    }
    const Transfer& transfer = transfers_[number];
    const Place here{false, buffer, transfer.stalled_at, transfer.stalled_axis,
                     transfer.stalled_bit};
    const Place next = behind(transfer, here);
    if (next.number != into.number || next.is_port != into.is_port) {
        return false;
    }
    const std::uint32_t after = transfer.next_in_line;
    if (!proceed(number, here)) {
        return false;
    }
    buffers_[buffer].first = after;
    --buffers_[buffer].count;
    vacated(buffer, here, transfer.request.device, transfer.request.noc);
    return true;
}

void ReadRequests::vacated(std::uint32_t buffer, const Place& place, std::uint32_t device,
                           std::uint32_t noc) {
    while (buffers_[buffer].first != kNobody) {
        const std::uint32_t number = buffers_[buffer].first;
        const std::uint32_t after = transfers_[number].next_in_line;
        if (!proceed(number, place)) {
            break;
        }
        buffers_[buffer].first = after;
        --buffers_[buffer].count;
    }
    refill(place, device, noc);
}

void ReadRequests::refill(const Place& place, std::uint32_t device, std::uint32_t noc) {
    const NocRoute& route = routes_[noc];
    const bool is_source = !place.is_port && place.number % 8 < 2;
    if (is_source) {
        return;
    }
    // Whoever comes into the router in front: along x, along y, from its own interface.
    const CoreCoord node = place.is_port ? place.node : route.previous(place.node, place.axis);
    const std::uint32_t along_x =
        2 * resources_.link(device, noc, route.previous(node, NocAxis::X), NocAxis::X);
    const std::uint32_t along_y =
        2 * resources_.link(device, noc, route.previous(node, NocAxis::Y), NocAxis::Y);
    const std::array<std::uint32_t, 5> inputs{along_x, along_x + 1, along_y, along_y + 1,
                                              source_buffer(device, noc, node)};
    const std::uint32_t own = place.is_port ? place.number : place.number / 2;
    for (std::size_t idle = 0; idle < inputs.size();) {
        const std::size_t input = turns_[own];
        turns_[own] = static_cast<std::uint32_t>((input + 1) % inputs.size());
        idle = pull_from(inputs[input], place) ? 0 : idle + 1;
    }
}

}  // namespace tessera::timing
