// SPDX-License-Identifier: Apache-2.0
// Routes in packet headers, and the pool of headers in the reserved part of L1.
#include <cstring>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "emu/mesh/link.hpp"
#include "emu/mesh/mesh.hpp"
#include "tessera/errors.hpp"
#include "tessera/kernel/fabric.hpp"
#include "tessera/window_layout.hpp"

namespace tessera::kernel {

std::uint64_t fabric_unicast_route(std::uint32_t hops, CallSite site) {
    using Fields = tt::tt_fabric::LowLatencyRoutingFields;
    if (hops == 0 || hops > Fields::MAX_NUM_HOPS) {
        fault(FaultCategory::OutOfBounds, site, "a route of {} hops: a packet header holds 1 to {}",
              hops, Fields::MAX_NUM_HOPS);
    }
    std::uint64_t route = Fields::WRITE_ONLY;
    for (std::uint32_t i = 1; i < hops; ++i) {
        route = route << Fields::FIELD_WIDTH | Fields::FORWARD_ONLY;
    }
    return route;
}

std::uint64_t fabric_mesh_route(std::uint32_t device, CallSite site) {
    const Device& from = current_thread().core().device();
    const Mesh* mesh = from.mesh();
    if (mesh == nullptr || device >= mesh->spec().shape.num_devices() || device == from.id()) {
        fault(FaultCategory::OutOfBounds, site,
              "fabric_set_unicast_route: device {} is none of the {} others that device {} reaches",
              device, mesh == nullptr ? 0 : mesh->spec().shape.num_devices() - 1, from.id());
    }
    return pack(mesh_route(mesh->spec().shape, mesh->spec().topology, from.id(), device));
}

std::uint32_t fabric_headers(std::uint32_t used, std::uint32_t count, CallSite site) {
    const KernelThread& thread = current_thread();
    if (thread.compute != nullptr) {
        fault(FaultCategory::Unsupported, site,
              "PacketHeaderPool::allocate_header in a compute kernel, which has no NoC");
    }
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
