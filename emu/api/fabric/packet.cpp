// SPDX-License-Identifier: Apache-2.0
#include "emu/api/fabric/packet.hpp"

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/endpoint.hpp"
#include "emu/noc/ordering.hpp"
#include "emu/noc/semaphore_traffic.hpp"

namespace tessera {
namespace {

using tt::tt_fabric::LowLatencyRoutingFields;
using tt::tt_fabric::NocSendType;

NocPort& port_of(KernelThread& thread) {
    return thread.noc[static_cast<std::size_t>(thread.default_noc)];
}

constexpr std::uint8_t transfer_link(std::uint32_t channel) {
    return static_cast<std::uint8_t>(channel + 1);
}

// Hops until the field that says "write here".
std::uint32_t hops_of(const FabricPacket& packet) {
    std::uint64_t route = packet.header.routing_fields.value;
    std::uint32_t hops = 1;
    while ((route & LowLatencyRoutingFields::FIELD_MASK) == LowLatencyRoutingFields::FORWARD_ONLY) {
        route >>= LowLatencyRoutingFields::FIELD_WIDTH;
        ++hops;
    }
    if (route != LowLatencyRoutingFields::WRITE_ONLY) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: the packet header has no route: fabric_set_unicast_route or to_chip_unicast "
              "gives one",
              packet.call);
    }
    return hops;
}

void check_payload(const KernelThread& thread, const FabricPacket& packet) {
    const std::uint32_t size = packet.payload_size;
    if (size > kLargestFabricPayload) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: a payload of {} bytes exceeds the largest packet, {} bytes", packet.call, size,
              kLargestFabricPayload);
    }
    if (size != packet.header.payload_size_bytes) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: the packet header says {} bytes of payload, the sender gave {}", packet.call,
              packet.header.payload_size_bytes, size);
    }
    check_local(thread, packet.payload_address, size, packet.call, packet.site);
}

// Payloads pass through the link's buffers at both ends, whose slots are aligned as an L1 is.
void check_aligned(const KernelThread& thread, std::uint64_t address, const char* what,
                   const FabricPacket& packet) {
    const std::uint64_t alignment = thread.core().arch().l1.alignment.value;
    if (address % alignment != 0) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: {} address {:#x} is not a multiple of {}", packet.call, what, address,
              alignment);
    }
}

void write_payload(KernelThread& thread, Device& target, const FabricPacket& packet) {
    const std::uint32_t size = packet.payload_size;
    const Endpoint to =
        resolve(target, packet.header.command_fields.noc_address, size, packet.call, packet.site);
    check_aligned(thread, packet.payload_address, "source", packet);
    check_aligned(thread, to.address, "destination", packet);
    thread.activity.bytes_linked += size;
    enter(thread, port_of(thread),
          {.kind = TransferKind::Write,
           .local_address = packet.payload_address,
           .size = size,
           .source = thread.core().l1(packet.payload_address),
           .destination = to.bytes,
           .written_core = to.core,
           .written_address = static_cast<std::uint32_t>(to.address),
           .link = transfer_link(packet.channel),
           .flushed_copy = nullptr,
           .site = packet.site});
}

// The word of an L1 that a packet adds to or writes.
Endpoint word_of(Device& target, std::uint64_t noc_address, const FabricPacket& packet) {
    const Endpoint to = resolve(target, noc_address, 4, packet.call, packet.site);
    if (to.core == nullptr || to.address % 4 != 0) {
        fault(FaultCategory::UndefinedBehavior, packet.site, "{}: address {:#x} {}", packet.call,
              to.address, to.core == nullptr ? "lies in DRAM" : "is not a multiple of 4");
    }
    return to;
}

void add(KernelThread& thread, Device& target, const FabricPacket& packet) {
    const auto& command = packet.header.command_fields;
    const Endpoint to = word_of(target, command.semaphore_noc_address, packet);
    deliver_writes_over(port_of(thread), transfer_link(packet.channel));
    add_to_word(*to.core, static_cast<std::uint32_t>(to.address), command.value);
}

void write_inline(KernelThread& thread, Device& target, const FabricPacket& packet) {
    const auto& command = packet.header.command_fields;
    const Endpoint to = word_of(target, command.noc_address, packet);
    deliver_writes_over(port_of(thread), transfer_link(packet.channel));
    store_word(*to.core, static_cast<std::uint32_t>(to.address), command.value);
}

}  // namespace

void send_packet(KernelThread& thread, const FabricPacket& packet) {
    const LinkRoute route{link_channel(packet.channel).direction, hops_of(packet)};
    check_payload(thread, packet);
    Device& target = across_links(thread.core().device(), route, packet.call, packet.site);
    switch (packet.header.noc_send_type) {
        case NocSendType::NOC_UNICAST_WRITE:
            return write_payload(thread, target, packet);
        case NocSendType::NOC_UNICAST_INLINE_WRITE:
            return write_inline(thread, target, packet);
        case NocSendType::NOC_UNICAST_ATOMIC_INC:
            return add(thread, target, packet);
        case NocSendType::NOC_FUSED_UNICAST_ATOMIC_INC:
            write_payload(thread, target, packet);
            return add(thread, target, packet);
    }
    fault(FaultCategory::UndefinedBehavior, packet.site,
          "{}: the packet header holds command {}, which is none", packet.call,
          static_cast<unsigned>(packet.header.noc_send_type));
}

}  // namespace tessera
