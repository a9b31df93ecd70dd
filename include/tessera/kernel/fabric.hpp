// SPDX-License-Identifier: Apache-2.0
// Sends packets from a data movement kernel to the memory of another device over mesh links.
//
// A packet is a header in own L1 (route, command, size) and a payload. Packets of one sender over
// one link take effect in the order sent: when a packet increments a counter, the payloads before
// it have arrived. The source of a payload may be reused after a call with `flush` in its name.
// Not here: muxes (fabric_mux.hpp), connection managers, and commands that fabric_packet.hpp lacks.
// Source   tt-metal tt_metal/fabric/hw/inc/packet_header_pool.h and
//          edm_fabric/edm_fabric_worker_adapters.hpp.
#pragma once

#include <concepts>

#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/dataflow/noc_address.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tessera/kernel/fabric_packet.hpp"
#include "tessera/kernel/types.hpp"

namespace tessera::kernel {
/// Returns the L1 address of `count` zeroed headers after the first `used` ones of this processor's
/// pool.
/// Errors   OutOfBounds if the pool has fewer headers.
std::uint32_t fabric_headers(std::uint32_t used, std::uint32_t count, CallSite site);

/// Worker's end of a link. The kernel owns it and the machine changes it.
struct FabricConnection {
    std::uint32_t channel = 0;
    bool has_slot = false;  ///< has waited for a slot and not used it yet
    bool is_in_handshake = false;
    std::uint16_t handshake = 0;  ///< KernelThread::link_handshakes when it began
    std::uint32_t payload_address = 0;
    std::uint32_t payload_size = 0;  ///< bytes sent before their header
    std::uint32_t slot_size = 0;     ///< bytes of a mux channel's buffer; 0: without a mux
};
enum class SourceReuse : std::uint8_t { AfterFlush, AtReturn };

void fabric_open(FabricConnection& connection, CallSite site);
void fabric_open_start(FabricConnection& connection, CallSite site);
void fabric_open_finish(FabricConnection& connection, CallSite site);
void fabric_close(FabricConnection& connection, CallSite site);
void fabric_close_start(FabricConnection& connection, CallSite site);
void fabric_close_finish(FabricConnection& connection, CallSite site);
void fabric_wait_for_slot(FabricConnection& connection, CallSite site);
void fabric_send_payload(FabricConnection& connection, std::uint32_t address, std::uint32_t size,
                         CallSite site);
void fabric_send_header(FabricConnection& connection, std::uint32_t address, std::uint32_t size,
                        SourceReuse reuse, CallSite site);
}  // namespace tessera::kernel

namespace tt::tt_fabric {

/// Worker's connection to one link, with the arguments of `append_fabric_connection_rt_args`.
///
/// Order    open, then for each packet: wait_for_empty_write_slot, the payload if any, the header;
///          close at the end. Slots never run out here, so no call blocks.
/// Errors   UndefinedBehavior for a call out of this order, a payload of another size than the
///          header says or above the largest packet (7616 bytes on Wormhole, 15232 on Blackhole),
///          a header without a route, an address that is not aligned to 16; OutOfBounds if the
///          route leaves the mesh or nothing answers at the address.
class WorkerToFabricEdmSender {
public:
    WorkerToFabricEdmSender() = default;

    /// Reads three arguments from `arg_idx` on and adds 3 to it.
    template <ProgrammableCoreType core_type = ProgrammableCoreType::TENSIX, std::integral Index>
    static WorkerToFabricEdmSender build_from_args(
        Index& arg_idx, tessera::CallSite site = tessera::CallSite::here()) {
        WorkerToFabricEdmSender sender;
        sender.connection_.channel = get_arg_val<std::uint32_t>(static_cast<int>(arg_idx), site);
        arg_idx += 3;
        return sender;
    }

    void open(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_open(connection_, site);
    }
    void close(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_close(connection_, site);
    }
    /// Do `open` and `close` in two halves, so that the handshakes of several connections overlap.
    /// Errors   UndefinedBehavior for a second half without the first, and for a packet between
    ///          them.
    void open_start(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_open_start(connection_, site);
    }
    void open_finish(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_open_finish(connection_, site);
    }
    void close_start(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_close_start(connection_, site);
    }
    void close_finish(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_close_finish(connection_, site);
    }
    void wait_for_empty_write_slot(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_wait_for_slot(connection_, site);
    }
    [[nodiscard]] bool edm_has_space_for_packet() const { return true; }
    /// Returns 1, so that a kernel that counts free slots calls it before each packet and then
    /// waits for that slot.
    [[nodiscard]] std::uint32_t get_num_free_write_slots() const { return 1; }

    void send_payload_without_header_non_blocking_from_address(
        std::uint32_t source_address, std::size_t size_bytes,
        tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_send_payload(connection_, source_address,
                                             static_cast<std::uint32_t>(size_bytes), site);
    }
    /// Sends the header at `source_address`, which completes the packet. If `size_bytes` exceeds
    /// the header, the bytes after the header are the payload.
    void send_payload_flush_blocking_from_address(
        std::uint32_t source_address, std::size_t size_bytes,
        tessera::CallSite site = tessera::CallSite::here()) {
        send_header(source_address, size_bytes, tessera::kernel::SourceReuse::AtReturn, site);
    }
    void send_payload_blocking_from_address(std::uint32_t source_address, std::size_t size_bytes,
                                            tessera::CallSite site = tessera::CallSite::here()) {
        send_header(source_address, size_bytes, tessera::kernel::SourceReuse::AtReturn, site);
    }
    void send_payload_non_blocking_from_address(
        std::uint32_t source_address, std::size_t size_bytes,
        tessera::CallSite site = tessera::CallSite::here()) {
        send_header(source_address, size_bytes, tessera::kernel::SourceReuse::AfterFlush, site);
    }
    void send_payload_flush_non_blocking_from_address(
        std::uint32_t source_address, std::size_t size_bytes,
        tessera::CallSite site = tessera::CallSite::here()) {
        send_header(source_address, size_bytes, tessera::kernel::SourceReuse::AfterFlush, site);
    }
    // The following calls use the slot themselves. On the chip, a kernel keeps the commands of a
    // NoC between them, which takes no time here.
    template <bool posted = false>
    void setup_stateful_send_cmd_bufs(std::uint8_t /*noc*/ = noc_index) const {}
    template <bool posted = false>
    void send_current_slot_stateful_non_blocking(
        std::uint32_t payload_address, std::uint32_t payload_bytes, std::uint32_t header_address,
        std::uint8_t /*noc*/ = noc_index, tessera::CallSite site = tessera::CallSite::here()) {
        wait_for_empty_write_slot(site);
        send_payload_without_header_non_blocking_from_address(payload_address, payload_bytes, site);
        send_payload_non_blocking_from_address(header_address, sizeof(PACKET_HEADER_TYPE), site);
    }
    /// Sends a packet whose payload follows its header in L1.
    template <bool posted = false>
    void send_current_slot_stateful_non_blocking_from_address(
        std::uint32_t packet_address, std::uint32_t packet_bytes, std::uint8_t /*noc*/ = noc_index,
        tessera::CallSite site = tessera::CallSite::here()) {
        wait_for_empty_write_slot(site);
        send_payload_non_blocking_from_address(packet_address, packet_bytes, site);
    }

protected:
    tessera::kernel::FabricConnection connection_;

private:
    void send_header(std::uint32_t source_address, std::size_t size_bytes,
                     tessera::kernel::SourceReuse reuse, tessera::CallSite site) {
        tessera::kernel::fabric_send_header(connection_, source_address,
                                            static_cast<std::uint32_t>(size_bytes), reuse, site);
    }
};

}  // namespace tt::tt_fabric

/// Returns the NoC address of `addr` on the core at (noc_x, noc_y), for a packet's command.
constexpr std::uint64_t safe_get_noc_addr(std::uint8_t noc_x, std::uint8_t noc_y,
                                          std::uint32_t addr, std::uint8_t noc_id = 0) {
    return get_noc_addr(noc_x, noc_y, addr, noc_id);
}

/// Headers in the reserved part of own L1. Each processor has 12 of them.
class PacketHeaderPool {
public:
    static void reset() { num_allocated_ = 0; }
    static volatile tt_l1_ptr PACKET_HEADER_TYPE* allocate_header(
        std::uint8_t num_headers = 1, tessera::CallSite site = tessera::CallSite::here()) {
        const std::uint32_t address =
            tessera::kernel::fabric_headers(num_allocated_, num_headers, site);
        num_allocated_ += num_headers;
        return reinterpret_cast<volatile tt_l1_ptr PACKET_HEADER_TYPE*>(address);
    }

private:
    inline static std::uint32_t num_allocated_ = 0;
};
