// SPDX-License-Identifier: Apache-2.0
#include "emu/api/fabric/connection.hpp"

#include <cstring>

#include "emu/api/fabric/packet.hpp"
#include "emu/core/core.hpp"
#include "emu/core/fault.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/core/trace_recorder.hpp"
#include "emu/noc/endpoint.hpp"
#include "emu/noc/transfer.hpp"

namespace tessera::kernel {
namespace {

using tt::tt_fabric::LowLatencyPacketHeader;

bool is_open(const KernelThread& thread, const FabricConnection& connection) {
    return (thread.open_links >> connection.channel & 1U) != 0;
}

KernelThread& thread_of(const FabricConnection& connection, const char* call, CallSite site) {
    KernelThread& thread = current_thread();
    thread.last_call = site;
    require_noc(thread, call, site);
    if (connection.channel >= kNumLinkChannels) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: channel {} of the connection is not one of a device's {} links: its arguments "
              "are not those of append_fabric_connection_rt_args",
              call, connection.channel, kNumLinkChannels);
    }
    return thread;
}

KernelThread& thread_with_open(const FabricConnection& connection, const char* call,
                               CallSite site) {
    KernelThread& thread = thread_of(connection, call, site);
    if (!is_open(thread, connection)) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: the connection over {} is not open: open comes first", call,
              to_string(link_channel(connection.channel)));
    }
    if (connection.is_in_handshake) {
        fault(
            FaultCategory::UndefinedBehavior, site,
            "{}: the handshake of the connection over {} is not over: open_finish or close_finish "
            "comes first",
            call, to_string(link_channel(connection.channel)));
    }
    return thread;
}

void begin_handshake(const KernelThread& thread, FabricConnection& connection) {
    connection.is_in_handshake = true;
    connection.handshake = thread.link_handshakes;
}

// Handshakes that began before the one that was waited for ended went on beside it.
void wait_for_handshake(KernelThread& thread, FabricConnection& connection, EventKind kind,
                        const char* call, const char* first, CallSite site) {
    if (!connection.is_in_handshake) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: the connection over {} has no handshake to wait for: {} comes first", call,
              to_string(link_channel(connection.channel)), first);
    }
    if (connection.handshake == thread.link_handshakes) {
        ++thread.link_handshakes;
        record_run(thread, kind, static_cast<std::uint8_t>(connection.channel), 0, site);
    }
    connection.is_in_handshake = false;
}

void check_slot(const FabricConnection& connection, const char* call, CallSite site) {
    if (!connection.has_slot) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: no slot of the link was waited for: wait_for_empty_write_slot comes before each "
              "packet",
              call);
    }
}

void check_slot_size(const FabricConnection& connection, const FabricPacket& packet) {
    if (connection.slot_size != 0 && kHeaderSize + packet.payload_size > connection.slot_size) {
        fault(
            FaultCategory::UndefinedBehavior, packet.site,
            "{}: a payload of {} bytes and its header of {} exceed a buffer of the mux's channel, "
            "{} bytes",
            packet.call, packet.payload_size, kHeaderSize, connection.slot_size);
    }
}

LowLatencyPacketHeader load_header(const KernelThread& thread, std::uint32_t address,
                                   std::uint32_t size, const char* call, CallSite site) {
    if (size < kHeaderSize || address % 16 != 0) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: {} bytes at {:#x} are no packet header, which takes {} bytes from a multiple of "
              "16",
              call, size, address, kHeaderSize);
    }
    check_local(thread, address, size, call, site);
    LowLatencyPacketHeader header;
    std::memcpy(&header, thread.core().l1(address), kHeaderSize);
    return header;
}

void record_link(KernelThread& thread, EventKind kind, const FabricConnection& connection,
                 CallSite site) {
    record_run(thread, kind, static_cast<std::uint8_t>(connection.channel), 0, site);
}

KernelThread& mark_open(const FabricConnection& connection, const char* call, CallSite site) {
    KernelThread& thread = thread_of(connection, call, site);
    if (is_open(thread, connection)) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: the kernel already has an open connection over {}", call,
              to_string(link_channel(connection.channel)));
    }
    thread.open_links = static_cast<std::uint16_t>(thread.open_links | 1U << connection.channel);
    thread.last_link_opened = site;
    return thread;
}

KernelThread& flush_for_close(const FabricConnection& connection, const char* call, CallSite site) {
    KernelThread& thread = thread_with_open(connection, call, site);
    if (connection.payload_size != 0) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: {} bytes of payload were sent without the header of their packet", call,
              connection.payload_size);
    }
    flush_writes(thread, static_cast<std::uint32_t>(thread.default_noc), std::nullopt);
    return thread;
}

void mark_closed(KernelThread& thread, FabricConnection& connection) {
    thread.open_links = static_cast<std::uint16_t>(thread.open_links & ~(1U << connection.channel));
    connection.has_slot = false;
}

}  // namespace

void open_link(const FabricConnection& connection, const char* call, std::uint64_t mux,
               CallSite site) {
    record_run(mark_open(connection, call, site), EventKind::FabricOpen,
               static_cast<std::uint8_t>(connection.channel), mux, site);
}

void fabric_open(FabricConnection& connection, CallSite site) {
    open_link(connection, "open", 0, site);
}

void fabric_open_start(FabricConnection& connection, CallSite site) {
    begin_handshake(mark_open(connection, "open_start", site), connection);
}

void fabric_open_finish(FabricConnection& connection, CallSite site) {
    wait_for_handshake(thread_of(connection, "open_finish", site), connection,
                       EventKind::FabricOpen, "open_finish", "open_start", site);
}

void fabric_close(FabricConnection& connection, CallSite site) {
    KernelThread& thread = flush_for_close(connection, "close", site);
    record_link(thread, EventKind::FabricClose, connection, site);
    mark_closed(thread, connection);
}

void fabric_close_start(FabricConnection& connection, CallSite site) {
    begin_handshake(flush_for_close(connection, "close_start", site), connection);
}

void fabric_close_finish(FabricConnection& connection, CallSite site) {
    KernelThread& thread = thread_of(connection, "close_finish", site);
    wait_for_handshake(thread, connection, EventKind::FabricClose, "close_finish", "close_start",
                       site);
    mark_closed(thread, connection);
}

void fabric_wait_for_slot(FabricConnection& connection, CallSite site) {
    KernelThread& thread = thread_with_open(connection, "wait_for_empty_write_slot", site);
    record_link(thread, EventKind::FabricSlot, connection, site);
    connection.has_slot = true;
}

void fabric_send_payload(FabricConnection& connection, std::uint32_t address, std::uint32_t size,
                         CallSite site) {
    const char* call = "send_payload_without_header_non_blocking_from_address";
    static_cast<void>(thread_with_open(connection, call, site));
    check_slot(connection, call, site);
    if (connection.payload_size != 0) {
        fault(FaultCategory::UndefinedBehavior, site,
              "{}: the packet already has a payload of {} bytes; its header comes next", call,
              connection.payload_size);
    }
    connection.payload_address = address;
    connection.payload_size = size;
}

void fabric_send_header(FabricConnection& connection, std::uint32_t address, std::uint32_t size,
                        SourceReuse reuse, CallSite site) {
    const char* call = reuse == SourceReuse::AtReturn ? "send_payload_flush_blocking_from_address"
                                                      : "send_payload_non_blocking_from_address";
    KernelThread& thread = thread_with_open(connection, call, site);
    check_slot(connection, call, site);
    FabricPacket packet{.header = load_header(thread, address, size, call, site),
                        .payload_address = connection.payload_address,
                        .payload_size = connection.payload_size,
                        .channel = connection.channel,
                        .call = call,
                        .site = site};
    if (size > kHeaderSize) {
        packet.payload_address = address + kHeaderSize;
        packet.payload_size += size - kHeaderSize;
    }
    check_slot_size(connection, packet);
    send_packet(thread, packet);
    connection = {.channel = connection.channel, .slot_size = connection.slot_size};
    if (reuse == SourceReuse::AtReturn) {
        record_run(thread, EventKind::WriteFlush, static_cast<std::uint8_t>(thread.default_noc), 0,
                   site);
        flush_writes(thread, static_cast<std::uint32_t>(thread.default_noc), std::nullopt);
    }
}

}  // namespace tessera::kernel
