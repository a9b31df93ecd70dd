// SPDX-License-Identifier: Apache-2.0
// Sending from a data movement kernel into the memory of another device over mesh links.
//
// A packet is a header in own L1 (route, command, size) and a payload. Packets of one sender over
// one link take effect in the order sent: what a packet counts up, the payloads before it have
// reached. A payload's source may be reused after a call that says `flush`.
// Not here: two-dimensional routes, multicast, scatter writes, muxes.
// Source   tt-metal tt_metal/fabric/fabric_edm_packet_header.hpp, packet_header_pool.h,
//          edm_fabric_worker_adapters.hpp.
#pragma once

#include <concepts>
#include <type_traits>

#include "tessera/kernel/dataflow/args.hpp"
#include "tessera/kernel/dataflow/semaphore.hpp"
#include "tessera/kernel/types.hpp"

namespace tt::tt_fabric {

enum NocSendType : std::uint8_t {
    NOC_UNICAST_WRITE = 0,
    NOC_UNICAST_INLINE_WRITE = 1,
    NOC_UNICAST_ATOMIC_INC = 2,
    NOC_FUSED_UNICAST_ATOMIC_INC = 3,
};

/// NoC addresses are those of the destination device.
struct NocUnicastCommandHeader {
    std::uint64_t noc_address;
};
struct NocUnicastInlineWriteCommandHeader {
    std::uint64_t noc_address;
    std::uint32_t value;
};
struct NocUnicastAtomicIncCommandHeader {
    NocUnicastAtomicIncCommandHeader(std::uint64_t address, std::uint32_t increment,
                                     bool flushes = true)
        : noc_address(address), val(increment), flush(flushes) {}
    std::uint64_t noc_address;
    std::uint32_t val;
    bool flush;  ///< what was sent before lands first; without it too here
};
struct NocUnicastAtomicIncFusedCommandHeader {
    NocUnicastAtomicIncFusedCommandHeader(std::uint64_t address, std::uint64_t semaphore_address,
                                          std::uint32_t increment, bool flushes = true)
        : noc_address(address),
          semaphore_noc_address(semaphore_address),
          val(increment),
          flush(flushes) {}
    std::uint64_t noc_address;
    std::uint64_t semaphore_noc_address;
    std::uint32_t val;
    bool flush;
};

/// Where the packet goes and what it does there: the fields of all commands, side by side.
struct NocCommandFields {
    std::uint64_t noc_address;
    std::uint64_t semaphore_noc_address;
    std::uint32_t value;
};

/// Two bits a hop from the lowest up: 1 the packet is written there and ends, 2 it is passed on.
struct LowLatencyRoutingFields {
    static constexpr std::uint32_t FIELD_WIDTH = 2;
    static constexpr std::uint64_t FIELD_MASK = 3;
    static constexpr std::uint64_t WRITE_ONLY = 1;
    static constexpr std::uint64_t FORWARD_ONLY = 2;
    static constexpr std::uint32_t MAX_NUM_HOPS = 32;
    std::uint64_t value;
};

}  // namespace tt::tt_fabric

namespace tessera::kernel {
/// Errors   OutOfBounds if `hops` is 0 or above 32.
std::uint64_t fabric_unicast_route(std::uint32_t hops, CallSite site);
/// L1 address of `count` zeroed headers behind `used` others of this processor's pool.
/// Errors   OutOfBounds if the pool holds fewer.
std::uint32_t fabric_headers(std::uint32_t used, std::uint32_t count, CallSite site);

/// A worker's end of a link; kept by the kernel, changed by the machine.
struct FabricConnection {
    std::uint32_t channel = 0;
    bool has_slot = false;  ///< waited for a slot that no packet has taken yet
    std::uint32_t payload_address = 0;
    std::uint32_t payload_size = 0;  ///< bytes handed over without their header yet
};
enum class SourceReuse : std::uint8_t { AfterFlush, AtReturn };

void fabric_open(FabricConnection& connection, CallSite site);
void fabric_close(FabricConnection& connection, CallSite site);
void fabric_wait_for_slot(FabricConnection& connection, CallSite site);
void fabric_send_payload(FabricConnection& connection, std::uint32_t address, std::uint32_t size,
                         CallSite site);
void fabric_send_header(FabricConnection& connection, std::uint32_t address, std::uint32_t size,
                        SourceReuse reuse, CallSite site);
}  // namespace tessera::kernel

namespace tt::tt_fabric {

/// Header of a packet that travels along one line of devices.
struct LowLatencyPacketHeader {
    NocCommandFields command_fields;
    std::uint16_t payload_size_bytes;
    NocSendType noc_send_type;
    std::uint8_t src_ch_id;
    LowLatencyRoutingFields routing_fields;
    std::uint64_t padding;

    /// To the device `distance_in_hops` links away in the sender's direction (1 to 32).
    volatile LowLatencyPacketHeader* to_chip_unicast(
        std::uint8_t distance_in_hops,
        tessera::CallSite site = tessera::CallSite::here()) volatile {
        routing_fields.value = tessera::kernel::fabric_unicast_route(distance_in_hops, site);
        return this;
    }
    /// Writes the payload.
    volatile LowLatencyPacketHeader* to_noc_unicast_write(const NocUnicastCommandHeader& command,
                                                          std::size_t payload_bytes) volatile {
        return set(NOC_UNICAST_WRITE, payload_bytes, command.noc_address, 0, 0);
    }
    /// Writes a word.
    volatile LowLatencyPacketHeader* to_noc_unicast_inline_write(
        const NocUnicastInlineWriteCommandHeader& command) volatile {
        return set(NOC_UNICAST_INLINE_WRITE, 0, command.noc_address, 0, command.value);
    }
    /// Adds to a word of an L1; takes no payload.
    volatile LowLatencyPacketHeader* to_noc_unicast_atomic_inc(
        const NocUnicastAtomicIncCommandHeader& command) volatile {
        return set(NOC_UNICAST_ATOMIC_INC, 0, 0, command.noc_address, command.val);
    }
    /// Writes the payload, then adds to a word.
    volatile LowLatencyPacketHeader* to_noc_fused_unicast_write_atomic_inc(
        const NocUnicastAtomicIncFusedCommandHeader& command, std::size_t payload_bytes) volatile {
        return set(NOC_FUSED_UNICAST_ATOMIC_INC, payload_bytes, command.noc_address,
                   command.semaphore_noc_address, command.val);
    }

private:
    volatile LowLatencyPacketHeader* set(NocSendType type, std::size_t payload_bytes,
                                         std::uint64_t address, std::uint64_t semaphore_address,
                                         std::uint32_t value) volatile {
        command_fields.noc_address = address;
        command_fields.semaphore_noc_address = semaphore_address;
        command_fields.value = value;
        payload_size_bytes = static_cast<std::uint16_t>(payload_bytes);
        noc_send_type = type;
        return this;
    }
};
static_assert(sizeof(LowLatencyPacketHeader) == 48, "size of a 1D header on the chip");

/// As `to_chip_unicast`. Only the worker's form (`false`) exists: the target is a count of hops.
template <bool called_from_router>
bool fabric_set_unicast_route(volatile LowLatencyPacketHeader* packet_header,
                              std::uint16_t target_num,
                              tessera::CallSite site = tessera::CallSite::here()) {
    static_assert(!called_from_router, "routes of routers are not emulated");
    packet_header->routing_fields.value = tessera::kernel::fabric_unicast_route(target_num, site);
    return true;
}

/// A worker's connection to one link, from the arguments of `append_fabric_connection_rt_args`.
///
/// Order    open, then for each packet: wait_for_empty_write_slot, the payload if any, the header;
///          close at the end. Slots never run out here, so no call blocks.
/// Errors   UndefinedBehavior for a call out of this order, a payload of another size than the
///          header says or above the largest packet (4352 bytes), a header without a route, an
///          address that is not aligned to 16; OutOfBounds if the route leaves the mesh or nothing
///          answers at the address.
class WorkerToFabricEdmSender {
public:
    WorkerToFabricEdmSender() = default;

    /// Reads three arguments from `arg_idx` on and moves it behind them.
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
    void wait_for_empty_write_slot(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_wait_for_slot(connection_, site);
    }
    [[nodiscard]] bool edm_has_space_for_packet() const { return true; }

    void send_payload_without_header_non_blocking_from_address(
        std::uint32_t source_address, std::size_t size_bytes,
        tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_send_payload(connection_, source_address,
                                             static_cast<std::uint32_t>(size_bytes), site);
    }
    /// Sends the header at `source_address` and with it the packet; bytes behind the header, if
    /// `size_bytes` covers any, are its payload.
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

private:
    void send_header(std::uint32_t source_address, std::size_t size_bytes,
                     tessera::kernel::SourceReuse reuse, tessera::CallSite site) {
        tessera::kernel::fabric_send_header(connection_, source_address,
                                            static_cast<std::uint32_t>(size_bytes), reuse, site);
    }

    tessera::kernel::FabricConnection connection_;
};

}  // namespace tt::tt_fabric

/// The header type of the fabric's configuration: here always one-dimensional.
using PACKET_HEADER_TYPE = tt::tt_fabric::LowLatencyPacketHeader;

/// Headers in the reserved part of own L1; each processor has its own 12.
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
