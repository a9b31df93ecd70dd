// SPDX-License-Identifier: Apache-2.0
// Tree of a multicast: a trunk along the NoC's first axis, from the sender to the last column (NoC
// 1: row) of the rectangle, and a branch along the other axis from each of its columns (rows).
#include <algorithm>

#include "emu/timing/network/noc_paths.hpp"

namespace tessera::timing {

namespace {

struct Span {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
};

}  // namespace

void NocPaths::multicast(const Transfer& transfer, std::uint32_t bytes, Millicycles stalled,
                         PacketPath& path) const {
    const Request& request = transfer.request;
    const NocRoute& route = routes_.route(request.noc);
    const NocAxis trunk = route.first_axis();
    const NocAxis branch = trunk == NocAxis::X ? NocAxis::Y : NocAxis::X;
    const WorkerGridSpec& workers = arch_.workers;
    const auto position = [&](NocAxis axis, std::uint32_t logical) {
        return axis == NocAxis::X ? workers.noc_columns[logical] : workers.noc_rows[logical];
    };
    const auto span = [&](NocAxis axis) {
        return axis == NocAxis::X ? Span{request.rect_start.x, request.rect_end.x}
                                  : Span{request.rect_start.y, request.rect_end.y};
    };
    const auto furthest = [&](NocAxis axis) {
        std::uint32_t most = 0;
        for (std::uint32_t i = span(axis).first; i <= span(axis).last; ++i) {
            const std::uint32_t from = NocRoute::at(transfer.own, axis);
            most = std::max(most, route.distance(axis, from, position(axis, i)));
        }
        return most;
    };
    // One copy a link, however many receivers are behind it: routers copy the packet, not the
    // sender.
    const Millicycles on_link = noc_.link.of(bytes) + stalled;
    const auto add_link = [&](Millicycles offset) {
        return [&, offset](CoreCoord node, NocAxis axis) mutable {
            path.add(resources_.link(request.device, request.noc, node, axis), offset, on_link);
            offset += noc_.hop;
        };
    };
    path.add(resources_.injection(request.device, request.noc, transfer.own), 0,
             noc_.multicast.of(bytes) + stalled);
    route.run(transfer.own, trunk, furthest(trunk), add_link(noc_.interface));
    const std::uint32_t depth = furthest(branch);
    const Millicycles ejected = noc_.ejection.of(bytes) + stalled;
    for (std::uint32_t i = span(trunk).first; i <= span(trunk).last; ++i) {
        CoreCoord node = transfer.own;
        (trunk == NocAxis::X ? node.x : node.y) = position(trunk, i);
        const std::uint32_t along =
            route.distance(trunk, NocRoute::at(transfer.own, trunk), position(trunk, i));
        route.run(node, branch, depth, add_link(noc_.interface + along * noc_.hop));
        for (std::uint32_t k = span(branch).first; k <= span(branch).last; ++k) {
            CoreCoord leaf = node;
            (branch == NocAxis::X ? leaf.x : leaf.y) = position(branch, k);
            if (leaf == transfer.own && !request.includes_sender) {
                continue;
            }
            const std::uint32_t hops = route.hops(transfer.own, leaf);
            path.add(resources_.ejection(request.device, request.noc, leaf),
                     noc_.interface + hops * noc_.hop, ejected);
        }
    }
    path.latency = 2 * noc_.interface + (furthest(trunk) + depth) * noc_.hop;
    path.hops = furthest(trunk) + depth;
}

}  // namespace tessera::timing
