// SPDX-License-Identifier: Apache-2.0
#include "emu/api/fabric/packet.hpp"

#include <cstring>

#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
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

// The legs of a packet's route: the second one has no hops where the packet does not turn.
struct Legs {
    LinkRoute first;
    LinkRoute second;
};

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

Legs legs_of(const FabricPacket& packet) {
    const LinkDirection direction = link_channel(packet.channel).direction;
    if (packet.header.padding == 0) {
        return {{direction, hops_of(packet)}, {}};
    }
    const MeshRoute route = unpack_mesh_route(packet.header.padding);
    if (route.first() != direction) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: the packet's route begins to the {}, the connection leads to the {}",
              packet.call, name_of(route.first()), name_of(direction));
    }
    return route.column.hops != 0 ? Legs{route.column, route.row} : Legs{route.row, {}};
}

void check_payload(const KernelThread& thread, const FabricPacket& packet) {
    const std::uint32_t size = packet.payload_size;
    const std::uint32_t largest = largest_fabric_payload(thread.core().arch().noc.max_packet);
    if (size > largest) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: a payload of {} bytes exceeds the largest packet, {} bytes", packet.call, size,
              largest);
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

// Whether an event for a word of the same packet follows.
enum class FollowUp : std::uint8_t { None, Word };

void record_packet(KernelThread& thread, const Device& target, const FabricPacket& packet,
                   NocPlace place, FollowUp follow_up) {
    const FabricArgument argument{.device = static_cast<std::uint16_t>(target.id()),
                                  .place = place,
                                  .hops = static_cast<std::uint8_t>(legs_of(packet).first.hops),
                                  .has_add = follow_up == FollowUp::Word};
    thread.has_page_address = false;
    record_act(thread, EventKind::FabricPacket, static_cast<std::uint8_t>(packet.channel),
               packet.payload_size, argument.pack(), packet.site);
}

void record_word(KernelThread& thread, EventKind kind, const Device& target,
                 const FabricPacket& packet, const Endpoint& to, std::uint32_t value) {
    const WordArgument argument{static_cast<std::uint32_t>(to.address), to.place,
                                static_cast<std::uint16_t>(target.id())};
    record_act(thread, kind, static_cast<std::uint8_t>(packet.channel), value, argument.pack(),
               packet.site);
}

// A payload that brings a flag is recorded with its value.
void record_payload(KernelThread& thread, const Device& target, const FabricPacket& packet,
                    const Endpoint& to) {
    const bool is_fused = packet.header.noc_send_type == NocSendType::NOC_FUSED_UNICAST_ATOMIC_INC;
    const bool brings_flag = !is_fused && is_flag(to, packet.payload_size);
    record_packet(thread, target, packet, to.place,
                  is_fused || brings_flag ? FollowUp::Word : FollowUp::None);
    if (brings_flag) {
        std::uint32_t value = 0;
        std::memcpy(&value, thread.core().l1(packet.payload_address), 4);
        record_word(thread, EventKind::FabricWord, target, packet, to, value);
    }
}

void write_payload(KernelThread& thread, Device& target, const FabricPacket& packet) {
    const std::uint32_t size = packet.payload_size;
    const Endpoint to =
        resolve(target, packet.header.command_fields.noc_address, size, packet.call, packet.site);
    check_aligned(thread, packet.payload_address, "source", packet);
    check_aligned(thread, to.address, "destination", packet);
    thread.activity.bytes_linked += size;
    record_payload(thread, target, packet, to);
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
    if (packet.header.noc_send_type == NocSendType::NOC_UNICAST_ATOMIC_INC) {
        record_packet(thread, target, packet, to.place, FollowUp::Word);
    }
    record_word(thread, EventKind::FabricAdd, target, packet, to, command.value);
    add_to_word(*to.core, static_cast<std::uint32_t>(to.address), command.value);
}

void write_inline(KernelThread& thread, Device& target, const FabricPacket& packet) {
    const auto& command = packet.header.command_fields;
    const Endpoint to = word_of(target, command.noc_address, packet);
    deliver_writes_over(port_of(thread), transfer_link(packet.channel));
    record_packet(thread, target, packet, to.place, FollowUp::Word);
    record_word(thread, EventKind::FabricWord, target, packet, to, command.value);
    store_word(*to.core, static_cast<std::uint32_t>(to.address), command.value);
}

}  // namespace

void send_packet(KernelThread& thread, const FabricPacket& packet) {
    const auto [first, second] = legs_of(packet);
    check_payload(thread, packet);
    Device& corner = across_links(thread.core().device(), first, packet.call, packet.site);
    Device& target =
        second.hops == 0 ? corner : across_links(corner, second, packet.call, packet.site);
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
