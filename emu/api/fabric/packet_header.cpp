// SPDX-License-Identifier: Apache-2.0
// Routes in packet headers, and the pool of headers in the reserved part of L1.
#include <cstring>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/errors.hpp"
#include "tessera/kernel/fabric.hpp"

namespace tessera::kernel {
namespace {

// The pool ends where the firmware's part of L1 does, which is where semaphores begin.
// Source: tt-metal blackhole/dev_mem_map.h, MEM_PACKET_HEADER_POOL_BASE and MEM_MAP_END.
constexpr std::uint32_t kSlotSize = 144;
constexpr std::uint32_t kSlotsPerProcessor = 12;
constexpr std::uint32_t kPoolSize = 2 * kSlotsPerProcessor * kSlotSize;

}  // namespace

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

std::uint32_t fabric_headers(std::uint32_t used, std::uint32_t count, CallSite site) {
    const KernelThread& thread = current_thread();
    if (thread.compute != nullptr) {
        fault(FaultCategory::Unsupported, site,
              "PacketHeaderPool::allocate_header in a compute kernel, which has no NoC");
    }
    if (count > kSlotsPerProcessor - used) {
        fault(FaultCategory::OutOfBounds, site,
              "PacketHeaderPool::allocate_header: {} more headers, but {} of this processor's {} "
              "are taken",
              count, used, kSlotsPerProcessor);
    }
    const std::uint64_t end = thread.core().arch().l1.semaphores.value;
    ensure(end >= kPoolSize, "l1.semaphores at {} leave no room for {} bytes of packet headers",
           end, kPoolSize);
    const auto slot = static_cast<std::uint32_t>(thread.processor()) * kSlotsPerProcessor + used;
    const auto address = static_cast<std::uint32_t>(end) - kPoolSize + slot * kSlotSize;
    std::memset(thread.core().l1(address), 0, std::size_t{count} * kSlotSize);
    return address;
}

}  // namespace tessera::kernel
