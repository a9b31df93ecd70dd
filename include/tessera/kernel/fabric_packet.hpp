// SPDX-License-Identifier: Apache-2.0
// Headers of fabric packets: where a packet goes and what it does there.
// Not here: multicast, scatter writes.
// Source   tt-metal tt_metal/fabric/fabric_edm_packet_header.hpp.
#pragma once

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
/// A word for the route from this device to another: MeshRoute.
/// Errors   OutOfBounds if there is no such device, or it is this one.
std::uint64_t fabric_mesh_route(std::uint32_t device, CallSite site);
}  // namespace tessera::kernel

namespace tt::tt_fabric {

/// Header of a packet that travels along one line of devices.
struct LowLatencyPacketHeader {
    NocCommandFields command_fields;
    std::uint16_t payload_size_bytes;
    NocSendType noc_send_type;
    std::uint8_t src_ch_id;
    LowLatencyRoutingFields routing_fields;
    std::uint64_t padding;  ///< here the route of HybridMeshPacketHeader; else 0

    /// To the device `distance_in_hops` links away in the sender's direction (1 to 32).
    volatile LowLatencyPacketHeader* to_chip_unicast(
        std::uint8_t distance_in_hops,
        tessera::CallSite site = tessera::CallSite::here()) volatile {
        routing_fields.value = tessera::kernel::fabric_unicast_route(distance_in_hops, site);
        padding = 0;
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

/// Header of a packet that turns once: along the column, then along the row. A connection's link
/// has to be the one on which the route begins.
///
/// On the chip it takes 80 bytes and more, and all headers of a fabric are of one kind
/// (FABRIC_2D); here both travel side by side, as 48 bytes.
struct HybridMeshPacketHeader : LowLatencyPacketHeader {};

/// To device `dst_dev_id`; meshes have number 0.
inline bool fabric_set_unicast_route(volatile HybridMeshPacketHeader* packet_header,
                                     std::uint16_t dst_dev_id, std::uint16_t /*dst_mesh_id*/,
                                     tessera::CallSite site = tessera::CallSite::here()) {
    packet_header->routing_fields.value = 0;
    packet_header->padding = tessera::kernel::fabric_mesh_route(dst_dev_id, site);
    return true;
}

/// As `to_chip_unicast`. Only the worker's form (`false`) exists: the target is a count of hops.
template <bool called_from_router>
bool fabric_set_unicast_route(volatile LowLatencyPacketHeader* packet_header,
                              std::uint16_t target_num,
                              tessera::CallSite site = tessera::CallSite::here()) {
    static_assert(!called_from_router, "routes of routers are not emulated");
    packet_header->routing_fields.value = tessera::kernel::fabric_unicast_route(target_num, site);
    packet_header->padding = 0;
    return true;
}

}  // namespace tt::tt_fabric

/// The header type of the fabric's configuration: here always one-dimensional.
using PACKET_HEADER_TYPE = tt::tt_fabric::LowLatencyPacketHeader;
