// SPDX-License-Identifier: Apache-2.0
#include "emu/api/fabric/packet.hpp"

#include <array>
#include <cstring>

#include "emu/api/fabric/route.hpp"
#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/mesh/device.hpp"
#include "emu/noc/endpoint.hpp"
#include "emu/noc/ordering.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "emu/noc/transfer.hpp"
#include "tessera/fabric_args.hpp"

namespace tessera {
namespace {

using tt::tt_fabric::NocSendType;

NocPort& port_of(KernelThread& thread) {
    return thread.noc[static_cast<std::size_t>(thread.default_noc)];
}

constexpr std::uint8_t transfer_link(std::uint32_t channel) {
    return static_cast<std::uint8_t>(channel + 1);
}

// A packet, who sends it and where to.
struct Sending {
    KernelThread& thread;
    const FabricPacket& packet;
    PacketRoute route;
    const Device& last;

    template <typename Act>
    void for_each_device(Act act) const {
        tessera::for_each_device(thread.core().device(), route, packet, act);
    }
};

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
    check_is_filled(thread, packet.payload_address, size, packet.call, packet.site);
}

// Payloads pass through the link's buffers at both ends, whose slots are aligned as an L1 is.
void check_aligned(const Device& device, std::uint64_t address, const char* what,
                   const FabricPacket& packet) {
    const std::uint64_t alignment = device.arch().l1.alignment.value;
    if (address % alignment != 0) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: {} address {:#x} is not a multiple of {}", packet.call, what, address,
              alignment);
    }
}

// A chunk follows the earlier chunks in its slot.
void check_chunk_aligned(const Device& device, std::uint64_t address, std::uint32_t offset,
                         const FabricPacket& packet) {
    const std::uint64_t alignment = device.arch().l1.alignment.value;
    if (address % alignment != offset % alignment) {
        fault(FaultCategory::UndefinedBehavior, packet.site,
              "{}: destination address {:#x} and the chunk's place in the payload, {}, differ "
              "modulo {}",
              packet.call, address, offset, alignment);
    }
}

// Whether an event for a word of the same packet follows.
enum class FollowUp : std::uint8_t { None, Word };

bool is_fused(const FabricPacket& packet) {
    return packet.header.noc_send_type == NocSendType::NOC_FUSED_UNICAST_ATOMIC_INC;
}

bool flushes(const FabricPacket& packet) {
    const auto& command = packet.header.command_fields;
    return is_fused(packet) ? command.unicast_seminc_fused.flush
                            : packet.header.noc_send_type == NocSendType::NOC_UNICAST_ATOMIC_INC &&
                                  command.unicast_seminc.flush;
}

void record_packet(const Sending& sending, NocPlace place, FollowUp follow_up,
                   std::uint32_t num_parts = 1) {
    const auto& [thread, packet, route, last] = sending;
    const bool is_multicast = route.is_multicast();
    const FabricArgument argument{
        .device = static_cast<std::uint16_t>(last.id()),
        .place = place,
        .hops = static_cast<std::uint8_t>(route.first.hops),
        .is_multicast = is_multicast,
        .has_add = follow_up == FollowUp::Word,
        .is_fused = is_fused(packet),
        .flushes = flushes(packet),
        .multicast_from = static_cast<std::uint8_t>(is_multicast ? route.written_from : 0),
        .more_parts = static_cast<std::uint8_t>(num_parts - 1),
        .east = static_cast<std::uint8_t>(route.east),
        .west = static_cast<std::uint8_t>(route.west),
        .is_mesh_route = packet.header.padding != 0};
    thread.has_page_address = false;
    record_act(thread, EventKind::FabricPacket, static_cast<std::uint8_t>(packet.channel),
               packet.payload_size, argument.pack(), packet.site);
}

void record_word(const Sending& sending, EventKind kind, const Endpoint& to, std::uint32_t value) {
    const WordArgument argument{static_cast<std::uint32_t>(to.address), to.place,
                                static_cast<std::uint16_t>(sending.last.id())};
    record_act(sending.thread, kind, static_cast<std::uint8_t>(sending.packet.channel), value,
               argument.pack(), sending.packet.site);
}

// Part of a payload, and where it goes.
struct Part {
    std::uint64_t noc_address = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
};

Endpoint end_of(Device& target, const Part& part, const FabricPacket& packet) {
    const Endpoint to = resolve(target, part.noc_address, part.size, packet.call, packet.site);
    check_aligned(target, packet.payload_address, "source", packet);
    if (part.offset == 0) {
        check_aligned(target, to.address, "destination", packet);
    } else {
        check_chunk_aligned(target, to.address, part.offset, packet);
    }
    return to;
}

void write_part(const Sending& sending, Device& target, const Part& part) {
    const auto& [thread, packet, route, last] = sending;
    const Endpoint to = end_of(target, part, packet);
    if (to.core != nullptr) {
        check_firmware(thread, to.address, part.size, packet.call, packet.site);
    }
    const std::uint32_t source = packet.payload_address + part.offset;
    enter(thread, port_of(thread),
          {.kind = TransferKind::Write,
           .local_address = source,
           .size = part.size,
           .source = thread.core().l1(source),
           .destination = to.bytes,
           .written_core = to.core,
           .written_address = static_cast<std::uint32_t>(to.address),
           .link = transfer_link(packet.channel),
           .flushed_copy = nullptr,
           .site = packet.site});
}

// A payload that brings a flag is recorded with its value.
void record_payload(const Sending& sending, const Part& whole, Device& target) {
    const auto& [thread, packet, route, last] = sending;
    const Endpoint to = end_of(target, whole, packet);
    const bool brings_flag = !is_fused(packet) && is_flag(to, whole.size);
    record_packet(sending, to.place,
                  is_fused(packet) || brings_flag ? FollowUp::Word : FollowUp::None);
    if (brings_flag) {
        std::uint32_t value = 0;
        std::memcpy(&value, thread.core().l1(packet.payload_address), 4);
        record_word(sending, EventKind::FabricWord, to, value);
    }
}

void write_payload(const Sending& sending, Device& target, std::uint64_t noc_address) {
    const Part whole{noc_address, 0, sending.packet.payload_size};
    record_payload(sending, whole, target);
    sending.thread.activity.bytes_linked += whole.size;
    sending.for_each_device([&](Device& device) { write_part(sending, device, whole); });
}

// The chunks of a payload, one behind the other.
struct Parts {
    std::array<Part, tt::tt_fabric::NOC_SCATTER_WRITE_MAX_CHUNKS> all;
    std::uint32_t count = 0;
};

[[noreturn]] void fault_chunks(const FabricPacket& packet, std::uint32_t before_last) {
    const auto& command = packet.header.command_fields.unicast_scatter_write;
    fault(FaultCategory::UndefinedBehavior, packet.site,
          "{}: a payload of {} bytes in {} chunks, {} bytes before the last one; 2 to 4 chunks of "
          "at least a byte each are possible",
          packet.call, packet.payload_size, command.chunk_count, before_last);
}

Parts parts_of(const FabricPacket& packet) {
    const auto& command = packet.header.command_fields.unicast_scatter_write;
    Parts parts{.all = {}, .count = command.chunk_count};
    if (parts.count < tt::tt_fabric::NOC_SCATTER_WRITE_MIN_CHUNKS ||
        parts.count > parts.all.size()) {
        fault_chunks(packet, 0);
    }
    std::uint32_t offset = 0;
    for (std::uint32_t i = 0; i < parts.count; ++i) {
        const bool is_last = i + 1 == parts.count;
        const bool is_cut =
            offset >= packet.payload_size || (!is_last && command.chunk_size[i] == 0);
        if (is_cut) {
            fault_chunks(packet, offset);
        }
        const std::uint32_t size = is_last ? packet.payload_size - offset : command.chunk_size[i];
        parts.all[i] = {command.noc_address[i], offset, size};
        offset += size;
    }
    return parts;
}

void scatter(const Sending& sending, Device& target) {
    const Parts parts = parts_of(sending.packet);
    record_packet(sending, end_of(target, parts.all[0], sending.packet).place, FollowUp::None,
                  parts.count);
    sending.thread.activity.bytes_linked += sending.packet.payload_size;
    sending.for_each_device([&](Device& device) {
        for (std::uint32_t i = 0; i < parts.count; ++i) {
            write_part(sending, device, parts.all[i]);
        }
    });
}

// The word of an L1 that a packet adds to or writes.
Endpoint word_of(const Sending& sending, Device& target, std::uint64_t noc_address) {
    const FabricPacket& packet = sending.packet;
    const Endpoint to = resolve(target, noc_address, 4, packet.call, packet.site);
    if (to.core == nullptr || to.address % 4 != 0) {
        fault(FaultCategory::UndefinedBehavior, packet.site, "{}: address {:#x} {}", packet.call,
              to.address, to.core == nullptr ? "lies in DRAM" : "is not a multiple of 4");
    }
    check_firmware(sending.thread, to.address, 4, packet.call, packet.site);
    return to;
}

// Earlier packets of the thread over this link arrive first.
void deliver_before(const Sending& sending) {
    deliver_writes_over(port_of(sending.thread), transfer_link(sending.packet.channel));
}

void add(const Sending& sending, Device& target, std::uint64_t noc_address, std::uint32_t value) {
    const Endpoint to = word_of(sending, target, noc_address);
    deliver_before(sending);
    if (!is_fused(sending.packet)) {
        record_packet(sending, to.place, FollowUp::Word);
    }
    record_word(sending, EventKind::FabricAdd, to, value);
    sending.for_each_device([&](Device& device) {
        const Endpoint word = word_of(sending, device, noc_address);
        add_to_word(*word.core, static_cast<std::uint32_t>(word.address), value);
    });
}

void write_inline(const Sending& sending, Device& target) {
    const auto& command = sending.packet.header.command_fields.unicast_inline_write;
    const Endpoint to = word_of(sending, target, command.noc_address);
    deliver_before(sending);
    record_packet(sending, to.place, FollowUp::Word);
    record_word(sending, EventKind::FabricWord, to, command.value);
    sending.for_each_device([&](Device& device) {
        const Endpoint word = word_of(sending, device, command.noc_address);
        store_word(*word.core, static_cast<std::uint32_t>(word.address), command.value);
    });
}

}  // namespace

void send_packet(KernelThread& thread, const FabricPacket& packet) {
    thread.rounds_per_poll = 0;  // it has sent something
    const PacketRoute route = route_of(packet);
    check_payload(thread, packet);
    Device& target = last_device(thread.core().device(), route, packet);
    const Sending sending{thread, packet, route, target};
    const auto& command = packet.header.command_fields;
    switch (packet.header.noc_send_type) {
        case NocSendType::NOC_UNICAST_WRITE:
            return write_payload(sending, target, command.unicast_write.noc_address);
        case NocSendType::NOC_UNICAST_SCATTER_WRITE:
            return scatter(sending, target);
        case NocSendType::NOC_UNICAST_INLINE_WRITE:
            return write_inline(sending, target);
        case NocSendType::NOC_UNICAST_ATOMIC_INC:
            return add(sending, target, command.unicast_seminc.noc_address,
                       command.unicast_seminc.val);
        case NocSendType::NOC_FUSED_UNICAST_ATOMIC_INC:
            write_payload(sending, target, command.unicast_seminc_fused.noc_address);
            return add(sending, target, command.unicast_seminc_fused.semaphore_noc_address,
                       command.unicast_seminc_fused.val);
    }
    fault(FaultCategory::UndefinedBehavior, packet.site,
          "{}: the packet header holds the unknown command {}", packet.call,
          static_cast<unsigned>(packet.header.noc_send_type));
}

}  // namespace tessera
