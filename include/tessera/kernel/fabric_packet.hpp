// SPDX-License-Identifier: Apache-2.0
// Headers of fabric packets: the route of a packet and its command at the destination.
// Source   tt-metal tt_metal/fabric/fabric_edm_packet_header.hpp.
#pragma once

#include "tessera/kernel/fabric_commands.hpp"
#include "tessera/kernel/types.hpp"

namespace tt::tt_fabric {

/// Consecutive devices of a line: the first is `start_distance_in_hops` links away, the last
/// `range_hops` - 1 links further.
struct MulticastRoutingCommandHeader {
    std::uint8_t start_distance_in_hops;
    std::uint8_t range_hops;
};

/// Two bits for each hop, from the lowest up. 1: the packet is written and ends; 2: it is
/// forwarded; 3: it is written and forwarded.
struct LowLatencyRoutingFields {
    static constexpr std::uint32_t FIELD_WIDTH = 2;
    static constexpr std::uint64_t FIELD_MASK = 3;
    static constexpr std::uint64_t WRITE_ONLY = 1;
    static constexpr std::uint64_t FORWARD_ONLY = 2;
    static constexpr std::uint64_t WRITE_AND_FORWARD = 3;
    static constexpr std::uint32_t MAX_NUM_HOPS = 32;
    std::uint64_t value;
};

}  // namespace tt::tt_fabric

namespace tessera::kernel {
/// Returns the route word of a packet to one device.
/// Errors   OutOfBounds if `hops` is 0 or above 32.
std::uint64_t fabric_unicast_route(std::uint32_t hops, CallSite site);
/// Returns the route word of a packet to `range` consecutive devices.
/// Errors   OutOfBounds if the first distance or the range is 0, or the last distance above 32.
std::uint64_t fabric_multicast_route(std::uint32_t start, std::uint32_t range, CallSite site);
/// Returns the word of the route from this device to another one (MeshRoute).
/// Errors   OutOfBounds if there is no such device, or it is this one.
std::uint64_t fabric_mesh_route(std::uint32_t device, CallSite site);
/// Returns the word of a box of devices (MeshBox).
/// Errors   OutOfBounds if a side is above 31 hops; UndefinedBehavior if the box is empty, or if a
///          packet would have to leave this device over two links.
std::uint64_t fabric_mesh_box(std::uint32_t east, std::uint32_t west, std::uint32_t north,
                              std::uint32_t south, CallSite site);
}  // namespace tessera::kernel

namespace tt::tt_fabric {

/// Header of a packet that travels along one line of devices.
struct LowLatencyPacketHeader {
    NocCommandFields command_fields;
    std::uint16_t payload_size_bytes;
    NocSendType noc_send_type;
    std::uint8_t src_ch_id;
    LowLatencyRoutingFields routing_fields;
    std::uint64_t padding;  ///< route of a HybridMeshPacketHeader; else 0

    /// Sends the packet to the device `distance_in_hops` links away in the sender's direction (1 to
    /// 32).
    volatile LowLatencyPacketHeader* to_chip_unicast(
        std::uint8_t distance_in_hops,
        tessera::CallSite site = tessera::CallSite::here()) volatile {
        routing_fields.value = tessera::kernel::fabric_unicast_route(distance_in_hops, site);
        padding = 0;
        return this;
    }
    /// Sends the packet to each device of a range in the sender's direction.
    volatile LowLatencyPacketHeader* to_chip_multicast(
        const MulticastRoutingCommandHeader& range,
        tessera::CallSite site = tessera::CallSite::here()) volatile {
        routing_fields.value = tessera::kernel::fabric_multicast_route(range.start_distance_in_hops,
                                                                       range.range_hops, site);
        padding = 0;
        return this;
    }
    /// Writes the payload.
    volatile LowLatencyPacketHeader* to_noc_unicast_write(const NocUnicastCommandHeader& command,
                                                          std::size_t payload_bytes) volatile {
        command_fields.unicast_write.noc_address = command.noc_address;
        return set(NOC_UNICAST_WRITE, payload_bytes);
    }
    /// Writes each chunk of the payload to its own address.
    volatile LowLatencyPacketHeader* to_noc_unicast_scatter_write(
        const NocUnicastScatterCommandHeader& command, std::size_t payload_bytes) volatile {
        auto& fields = command_fields.unicast_scatter_write;
        for (std::uint32_t i = 0; i < NOC_SCATTER_WRITE_MAX_CHUNKS; ++i) {
            fields.noc_address[i] = command.noc_address[i];
        }
        for (std::uint32_t i = 0; i + 1 < NOC_SCATTER_WRITE_MAX_CHUNKS; ++i) {
            fields.chunk_size[i] = command.chunk_size[i];
        }
        fields.chunk_count = command.chunk_count;
        return set(NOC_UNICAST_SCATTER_WRITE, payload_bytes);
    }
    /// Writes a word.
    volatile LowLatencyPacketHeader* to_noc_unicast_inline_write(
        const NocUnicastInlineWriteCommandHeader& command) volatile {
        command_fields.unicast_inline_write.noc_address = command.noc_address;
        command_fields.unicast_inline_write.value = command.value;
        return set(NOC_UNICAST_INLINE_WRITE, 0);
    }
    /// Adds to a word of an L1. The packet has no payload.
    volatile LowLatencyPacketHeader* to_noc_unicast_atomic_inc(
        const NocUnicastAtomicIncCommandHeader& command) volatile {
        auto& fields = command_fields.unicast_seminc;
        fields.noc_address = command.noc_address;
        fields.val = command.val;
        fields.flush = command.flush;
        return set(NOC_UNICAST_ATOMIC_INC, 0);
    }
    /// Writes the payload, then adds to a word.
    volatile LowLatencyPacketHeader* to_noc_fused_unicast_write_atomic_inc(
        const NocUnicastAtomicIncFusedCommandHeader& command, std::size_t payload_bytes) volatile {
        auto& fields = command_fields.unicast_seminc_fused;
        fields.noc_address = command.noc_address;
        fields.semaphore_noc_address = command.semaphore_noc_address;
        fields.val = command.val;
        fields.flush = command.flush;
        return set(NOC_FUSED_UNICAST_ATOMIC_INC, payload_bytes);
    }
    /// Change one field of a header that is sent again.
    void set_payload_size_bytes(std::uint16_t payload_bytes) volatile {
        payload_size_bytes = payload_bytes;
    }
    void set_fused_unicast_write_atomic_inc_write_noc_address(std::uint64_t noc_address) volatile {
        command_fields.unicast_seminc_fused.noc_address = noc_address;
    }
    void set_fused_unicast_write_atomic_inc_value(std::uint32_t value) volatile {
        command_fields.unicast_seminc_fused.val = value;
    }

private:
    volatile LowLatencyPacketHeader* set(NocSendType type, std::size_t payload_bytes) volatile {
        payload_size_bytes = static_cast<std::uint16_t>(payload_bytes);
        noc_send_type = type;
        return this;
    }
};

/// Header of a packet that turns once: along the column, then along the row. A connection's link
/// has to be the one on which the route begins.
///
/// On the chip it has 80 bytes or more, and all headers of a fabric are of one kind. Here both
/// kinds have 64 bytes and may be used together. FABRIC_2D selects the kind of PACKET_HEADER_TYPE.
struct HybridMeshPacketHeader : LowLatencyPacketHeader {
    /// Do nothing: fabric_set_unicast_route and fabric_set_mcast_route set the route, because a
    /// number of hops does not tell at which device a packet turns.
    volatile HybridMeshPacketHeader* to_chip_unicast(std::uint8_t /*hops*/) volatile {
        return this;
    }
    volatile HybridMeshPacketHeader* to_chip_multicast(
        const MulticastRoutingCommandHeader& /*range*/) volatile {
        return this;
    }
};

/// Sends the packet to device `dst_dev_id`. The mesh has number 0.
inline bool fabric_set_unicast_route(volatile HybridMeshPacketHeader* packet_header,
                                     std::uint16_t dst_dev_id, std::uint16_t /*dst_mesh_id*/,
                                     tessera::CallSite site = tessera::CallSite::here()) {
    packet_header->routing_fields.value = 0;
    packet_header->padding = tessera::kernel::fabric_mesh_route(dst_dev_id, site);
    return true;
}

/// Sends the packet to the devices up to the given hops north or south of this one and, from each
/// of them, to those up to the given hops east and west in its row. Without north and south it goes
/// along this device's own row, in one direction. A multicast over several links of this device
/// needs one packet for each link. `dst_dev_id` is ignored within a mesh.
inline void fabric_set_mcast_route(volatile HybridMeshPacketHeader* packet_header,
                                   std::uint16_t /*dst_dev_id*/, std::uint16_t /*dst_mesh_id*/,
                                   std::uint16_t e_num_hops, std::uint16_t w_num_hops,
                                   std::uint16_t n_num_hops, std::uint16_t s_num_hops,
                                   tessera::CallSite site = tessera::CallSite::here()) {
    packet_header->routing_fields.value = 0;
    packet_header->padding =
        tessera::kernel::fabric_mesh_box(e_num_hops, w_num_hops, n_num_hops, s_num_hops, site);
}

/// Does the same as `to_chip_unicast`. Only the worker's form (`false`) exists, whose target is a
/// number of hops.
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

/// The header type of the fabric's configuration.
#ifdef FABRIC_2D
using PACKET_HEADER_TYPE = tt::tt_fabric::HybridMeshPacketHeader;
#else
using PACKET_HEADER_TYPE = tt::tt_fabric::LowLatencyPacketHeader;
#endif
