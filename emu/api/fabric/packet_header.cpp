// SPDX-License-Identifier: Apache-2.0
// Routes in packet headers, and the pool of headers in the reserved part of L1.
#include <algorithm>
#include <cstring>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "emu/mesh/link.hpp"
#include "emu/mesh/mesh.hpp"
#include "emu/noc/endpoint.hpp"
#include "tessera/errors.hpp"
#include "tessera/kernel/fabric_linear.hpp"
#include "tessera/trace.hpp"
#include "tessera/window_layout.hpp"

namespace tessera::kernel {

namespace {

using Fields = tt::tt_fabric::LowLatencyRoutingFields;

static_assert(sizeof(PACKET_HEADER_TYPE) == kPacketHeaderSize);

// Passed on without being written before the device `first` hops away, written there and on each
// device up to the one `last` hops away.
std::uint64_t line_route(std::uint32_t first, std::uint32_t last) {
    std::uint64_t route = Fields::WRITE_ONLY;
    for (std::uint32_t hops = last - 1; hops >= 1; --hops) {
        route = route << Fields::FIELD_WIDTH |
                (hops < first ? Fields::FORWARD_ONLY : Fields::WRITE_AND_FORWARD);
    }
    return route;
}

MeshRoute route_to(std::uint32_t device, const char* call, CallSite site) {
    const Device& from = current_thread().core().device();
    const Mesh* mesh = from.mesh();
    if (mesh == nullptr || device >= mesh->spec().shape.num_devices() || device == from.id()) {
        fault(FaultCategory::OutOfBounds, site,
              "{}: device {} is not one of the {} devices that device {} reaches", call, device,
              mesh == nullptr ? 0 : mesh->spec().shape.num_devices() - 1, from.id());
    }
    return mesh_route(mesh->spec().shape, mesh->spec().topology, from.id(), device);
}

}  // namespace

void check_scatter_chunks(std::size_t num_addresses, std::size_t num_sizes, CallSite site) {
    constexpr std::size_t kLeast = tt::tt_fabric::NOC_SCATTER_WRITE_MIN_CHUNKS;
    constexpr std::size_t kMost = tt::tt_fabric::NOC_SCATTER_WRITE_MAX_CHUNKS;
    if (num_addresses < kLeast || num_addresses > kMost || num_sizes + 1 != num_addresses) {
        fault(
            FaultCategory::UndefinedBehavior, site,
            "NocUnicastScatterCommandHeader: {} addresses and {} chunk sizes; {} to {} addresses, "
            "and a size for each but the last, are possible",
            num_addresses, num_sizes, kLeast, kMost);
    }
}

std::uint64_t fabric_unicast_route(std::uint32_t hops, CallSite site) {
    if (hops == 0 || hops > Fields::MAX_NUM_HOPS) {
        fault(FaultCategory::OutOfBounds, site, "a route of {} hops: a packet header holds 1 to {}",
              hops, Fields::MAX_NUM_HOPS);
    }
    return line_route(hops, hops);
}

std::uint64_t fabric_multicast_route(std::uint32_t start, std::uint32_t range, CallSite site) {
    if (start == 0 || range == 0 || start + range - 1 > Fields::MAX_NUM_HOPS) {
        fault(
            FaultCategory::OutOfBounds, site,
            "to_chip_multicast: {} devices from {} hops away on; both are at least 1, and a packet "
            "header holds {} hops",
            range, start, Fields::MAX_NUM_HOPS);
    }
    return line_route(start, start + range - 1);
}

std::uint64_t fabric_mesh_route(std::uint32_t device, CallSite site) {
    return pack(route_to(device, "fabric_set_unicast_route", site));
}

std::uint32_t fabric_first_direction(std::uint32_t device, CallSite site) {
    static_assert(static_cast<std::uint32_t>(LinkDirection::South) == eth_chan_directions::SOUTH);
    return static_cast<std::uint32_t>(
        route_to(device, "get_next_hop_router_direction", site).first());
}

std::uint64_t fabric_mesh_box(std::uint32_t east, std::uint32_t west, std::uint32_t north,
                              std::uint32_t south, CallSite site) {
    using enum LinkDirection;
    constexpr std::uint32_t kMost = FabricArgument::kMostBranchHops;
    if (std::max({east, west, north, south}) > kMost) {
        fault(FaultCategory::OutOfBounds, site,
              "fabric_set_mcast_route: {} hops east, {} west, {} north, {} south: a packet header "
              "holds at most {} each way",
              east, west, north, south, kMost);
    }
    const bool has_column = north != 0 || south != 0;
    const bool is_one_way = has_column ? north == 0 || south == 0 : (east == 0) != (west == 0);
    if (!is_one_way) {
        fault(FaultCategory::UndefinedBehavior, site,
              "fabric_set_mcast_route: {} hops east, {} west, {} north, {} south: a packet leaves "
              "over one link, to the north or south or, with neither, to the east or west",
              east, west, north, south);
    }
    if (has_column) {
        return pack(
            MeshBox{north != 0 ? LinkRoute{North, north} : LinkRoute{South, south}, east, west});
    }
    return pack(MeshBox{east != 0 ? LinkRoute{East, east} : LinkRoute{West, west}});
}

std::uint32_t fabric_headers(std::uint32_t used, std::uint32_t count, CallSite site) {
    const KernelThread& thread = current_thread();
    require_noc(thread, "PacketHeaderPool::allocate_header", site);
    if (count > kPacketHeadersPerProcessor - used) {
        fault(FaultCategory::OutOfBounds, site,
              "PacketHeaderPool::allocate_header: {} more headers, but {} of this processor's {} "
              "are taken",
              count, used, kPacketHeadersPerProcessor);
    }
    const std::uint64_t end = thread.core().arch().l1.semaphores.value;
    ensure(end >= kPacketHeaderPoolSize,
           "l1.semaphores at {} leave no room for {} bytes of packet headers", end,
           kPacketHeaderPoolSize);
    const auto processor = static_cast<std::uint32_t>(thread.processor());
    const auto address = static_cast<std::uint32_t>(end) - kPacketHeaderPoolSize +
                         (processor * kPacketHeadersPerProcessor + used) * kPacketHeaderSlotSize;
    std::memset(thread.core().l1(address), 0, std::size_t{count} * kPacketHeaderSlotSize);
    return address;
}

}  // namespace tessera::kernel
