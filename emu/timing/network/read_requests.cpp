// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/read_requests.hpp"

namespace tessera::timing {

namespace {

/// Two for each of a node's four ports and links.
constexpr std::uint32_t kChannelsPerNode = 8;

/// Slots of an interface: the RISC's own limit (noc.outstanding_reads) is far below.
constexpr std::uint32_t kUnlimited = 0xFFFFFFFFU;

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
ReadRequests::ReadRequests(const Machine& machine, const RouterBuffer& router_buffer,
                           ResourceTable& resources, RouteTable& routes, TransferPool& transfers)
    : router_buffer_(router_buffer),
      resources_(resources),
      routes_(routes),
      transfers_(transfers),
      channels_per_network_(2 * resources.network(0, 1)),
      buffers_(2 * std::size_t{resources.num_ports()}),
      next_input_(resources.num_ports()) {
    accepted_.reserve(64);
    size_buffers(machine);
    find_inputs(machine.arch.noc.grid);
}

void ReadRequests::size_buffers(const Machine& machine) {
    // A request is a header of one flit, so a channel's buffer holds 16 of them on Wormhole.
    const std::uint32_t per_channel = router_buffer_.channel() / router_buffer_.flit();
    for (std::size_t channel = 0; channel < buffers_.size(); ++channel) {
        buffers_[channel].free_slots = is_source(channel)    ? kUnlimited
                                       : is_of_port(channel) ? machine.timing.noc.port_requests
                                                             : per_channel;
    }
    const std::uint32_t of_bank = machine.timing.dram.port_requests;
    for (std::uint32_t device = 0; resources_.network(device, 0) < resources_.num_ports();
         ++device) {
        for (const DramEndpoint& endpoint : machine.arch.dram.endpoints) {
            buffers_[2 * resources_.ejection(device, 0, endpoint.physical)].free_slots = of_bank;
            buffers_[2 * resources_.ejection(device, 1, endpoint.physical1)].free_slots = of_bank;
        }
    }
}

void ReadRequests::find_inputs(GridSize grid) {
    for (std::uint32_t noc = 0; noc < 2; ++noc) {
        for (std::uint32_t node = 0; node < grid.columns * grid.rows; ++node) {
            const CoreCoord at{node % grid.columns, node / grid.columns};
            const auto link_into = [&](NocAxis axis) {
                const CoreCoord from = routes_.route(noc).previous(at, axis);
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
    transfers_[number].next_in_fifo = kNone;
    transfers_[number].stalled_at = place;
    transfers_[number].stalled_next = next;
    if (pushed.first == kNone) {
        pushed.first = number;
        pushed.next = next;
    } else {
        transfers_[pushed.last].next_in_fifo = number;
    }
    pushed.last = number;
    --pushed.free_slots;
    hold(buffer, pushed.num + 1);
}

void ReadRequests::hold(std::uint32_t buffer, std::uint32_t num) {
    buffers_[buffer].num = num;
    router_buffer_.share(resources_[buffer / 2], buffers_[buffer].shared_taken,
                         num * router_buffer_.flit());
}

// Goes through empty channels in one step and in no time: a request that finds its route free costs
// the host one call, not an event per hop (its latency is added when the port has accepted it).
void ReadRequests::proceed(std::uint32_t number, std::uint32_t place) {
    Transfer& transfer = transfers_[number];
    const Route route = route_of(transfer);
    const std::uint32_t port = route.port();
    std::uint32_t here = place;
    while (here + 1 < port && buffers_[route[here + 1]].first == kNone) {
        ++here;
    }
    const std::uint32_t next = route[here + 1];
    if (!has_free_slot(next)) {
        push(route[here], number, here, next);  // blocked: it takes a slot where it stands
    } else if (here + 1 == port) {
        --buffers_[next].free_slots;
        transfer.request_hops = port - 1 - place;
        accepted_.push_back(number);
    } else {
        push(next, number, here + 1, route[here + 2]);
    }
}

void ReadRequests::launch(std::uint32_t number) {
    Transfer& transfer = transfers_[number];
    const Request& request = transfer.request;
    transfer.route.channels = routes_.of(request.noc, transfer.own, transfer.far);
    transfer.route.base = 2 * resources_.network(request.device, request.noc);
    const Route route = route_of(transfer);
    transfer.port = route[route.port()];
    const std::uint32_t source = route[0];
    const std::uint32_t next = route[1];
    // Requests of one interface stay in order: behind one that is blocked all others wait.
    if (buffers_[source].first != kNone || !has_free_slot(next)) {
        push(source, number, 0, next);
    } else {
        proceed(number, 0);
    }
}

void ReadRequests::answered(const Transfer& transfer) {
    ++buffers_[transfer.port].free_slots;
    grant(transfer.port);
}

void ReadRequests::advance_head(std::uint32_t buffer) {
    Buffer& left = buffers_[buffer];
    const std::uint32_t number = left.first;
    const std::uint32_t after = transfers_[number].next_in_fifo;
    proceed(number, transfers_[number].stalled_at);
    left.first = after;
    left.next = after == kNone ? kNone : transfers_[after].stalled_next;
    ++left.free_slots;
    hold(buffer, left.num - 1);
}

void ReadRequests::on_slot_freed(std::uint32_t buffer) {
    while (buffers_[buffer].first != kNone && has_free_slot(buffers_[buffer].next)) {
        advance_head(buffer);
    }
    if (!is_source(buffer)) {
        grant(buffer);
    }
}

void ReadRequests::grant(std::uint32_t channel) {
    // Round robin over the router's inputs: requests from near do not shut out
    // those from far. A granted slot may free one upstream, hence the count of idle inputs.
    const std::uint32_t network = channel / channels_per_network_;
    const std::uint32_t base = network * channels_per_network_;
    const Inputs& inputs = inputs_[network % 2][(channel - base) / kChannelsPerNode];
    std::uint32_t& input = next_input_[channel / 2];
    for (std::size_t idle = 0; idle < inputs.size() && has_free_slot(channel);) {
        const std::uint32_t buffer = base + inputs[input];
        input = input + 1 == inputs.size() ? 0 : input + 1;
        ++idle;
        if (buffers_[buffer].next == channel) {
            advance_head(buffer);
            on_slot_freed(buffer);
            idle = 0;
        }
    }
}

}  // namespace tessera::timing
