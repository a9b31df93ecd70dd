// SPDX-License-Identifier: Apache-2.0
// Calls on fabric packets for pages of tensors, connections to both neighbours in a line, and names
// of the fabric without namespace. Headers of TT-Metalium's collectives include this one.
// Source   tt-metal tt_metal/fabric/hw/inc/{linear,edm_fabric}, hostdevcommon/fabric_common.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tessera/kernel/fabric.hpp"
#include "tessera/kernel/fabric_mux.hpp"
#include "tessera/kernel/numeric.hpp"

namespace tessera::kernel {
/// Returns the direction (eth_chan_directions) of the first link on the way to a device.
/// Errors   OutOfBounds if there is no such device, or it is this one.
[[nodiscard]] std::uint32_t fabric_first_direction(std::uint32_t device, CallSite site);
}  // namespace tessera::kernel

/// Directions in which links leave a device, in the order of a kernel's connections.
enum eth_chan_directions : std::uint8_t {
    EAST = 0,
    WEST = 1,
    NORTH = 2,
    SOUTH = 3,
    Z = 4,
    COUNT = 5
};

namespace tt::tt_fabric {

/// Sends the packet to the devices whose bit is set in `hops`. Bit i is the device i + 1 links away
/// in the sender's direction.
inline void fabric_set_sparse_multicast_route(volatile LowLatencyPacketHeader* packet_header,
                                              std::uint16_t hops) {
    using Fields = LowLatencyRoutingFields;
    std::uint64_t route = 0;
    for (std::uint32_t hop = 0; hops >> hop != 0; ++hop) {
        const bool is_written = (hops >> hop & 1) != 0;
        const bool is_last = hops >> hop == 1;
        route |= (is_last      ? Fields::WRITE_ONLY
                  : is_written ? Fields::WRITE_AND_FORWARD
                               : Fields::FORWARD_ONLY)
                 << hop * Fields::FIELD_WIDTH;
    }
    packet_header->routing_fields.value = route;
    packet_header->padding = 0;
}

namespace linear {

/// Makes `header` write a payload to page `id` of a tensor, from byte `offset` on.
template <class Tensor>
void to_noc_unicast_write(std::uint32_t payload_bytes, volatile PACKET_HEADER_TYPE* header,
                          std::uint32_t id, const Tensor& tensor, std::uint32_t offset = 0) {
    header->to_noc_unicast_write(NocUnicastCommandHeader{tensor.get_noc_addr(id, offset)},
                                 payload_bytes);
}
/// Does the same, and makes `header` add to a semaphore after the write.
template <class Tensor>
void to_noc_fused_unicast_write_atomic_inc(std::uint32_t payload_bytes,
                                           volatile PACKET_HEADER_TYPE* header,
                                           const NocUnicastAtomicIncCommandHeader& increment,
                                           std::uint32_t id, const Tensor& tensor,
                                           std::uint32_t offset = 0) {
    header->to_noc_fused_unicast_write_atomic_inc(
        NocUnicastAtomicIncFusedCommandHeader(
            tensor.get_noc_addr(id, offset), increment.noc_address, increment.val, increment.flush),
        payload_bytes);
}
/// Makes `header` write the two halves of a payload to two pages.
template <class Tensor>
void to_noc_unicast_scatter_write(std::uint32_t page_bytes, volatile PACKET_HEADER_TYPE* header,
                                  std::uint32_t first_id, std::uint32_t second_id,
                                  const Tensor& tensor, std::uint32_t first_offset = 0,
                                  std::uint32_t second_offset = 0) {
    header->to_noc_unicast_scatter_write(
        NocUnicastScatterCommandHeader({tensor.get_noc_addr(first_id, first_offset),
                                        tensor.get_noc_addr(second_id, second_offset)},
                                       {static_cast<std::uint16_t>(page_bytes)}),
        std::size_t{2} * page_bytes);
}

namespace experimental {

/// Adds to a semaphore on each device of a range in the direction of the connection.
template <class Sender>
void fabric_multicast_noc_unicast_atomic_inc(Sender* sender, volatile PACKET_HEADER_TYPE* header,
                                             const NocUnicastAtomicIncCommandHeader& increment,
                                             std::uint8_t start_distance, std::uint8_t range) {
    header->to_chip_multicast(MulticastRoutingCommandHeader{start_distance, range});
    header->to_noc_unicast_atomic_inc(increment);
    sender->wait_for_empty_write_slot();
    sender->send_payload_flush_blocking_from_address(
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(header)),
        sizeof(PACKET_HEADER_TYPE));
}

/// Adds to a semaphore on the device `num_hops` links away in the direction of the connection.
template <class Sender>
void fabric_unicast_noc_unicast_atomic_inc(Sender* sender, volatile PACKET_HEADER_TYPE* header,
                                           const NocUnicastAtomicIncCommandHeader& increment,
                                           std::uint8_t num_hops) {
    header->to_chip_unicast(num_hops);
    header->to_noc_unicast_atomic_inc(increment);
    sender->wait_for_empty_write_slot();
    sender->send_payload_flush_blocking_from_address(
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(header)),
        sizeof(PACKET_HEADER_TYPE));
}

}  // namespace experimental
}  // namespace linear

/// Header with the route back to the sender. No packet has it here, but kernels compare types with
/// it.
struct UDMHybridMeshPacketHeader;
}  // namespace tt::tt_fabric

using tt::tt_fabric::HybridMeshPacketHeader;
using tt::tt_fabric::LowLatencyPacketHeader;
using tt::tt_fabric::WorkerToFabricEdmSender;
using tt::tt_fabric::WorkerToFabricMuxSender;

/// NoC coordinates of a core.
struct WorkerXY {
    std::uint16_t x;
    std::uint16_t y;
};

/// Returns the core and the local address of a NoC address.
inline std::pair<WorkerXY, std::uint32_t> get_noc_address_components(std::uint64_t address) {
    return {{static_cast<std::uint16_t>(NOC_UNICAST_ADDR_X(address)),
             static_cast<std::uint16_t>(NOC_UNICAST_ADDR_Y(address))},
            static_cast<std::uint32_t>(NOC_LOCAL_ADDR_OFFSET(address))};
}

/// Connections to the next and to the previous device of a line. A device at an end has only one of
/// them.
class FabricConnectionManager {
public:
    enum BuildFromArgsMode : std::uint8_t {
        BUILD_ONLY,
        BUILD_AND_OPEN_CONNECTION,
        BUILD_AND_OPEN_CONNECTION_START_ONLY,
    };

    /// Reads for each direction a flag and, if it is set, the arguments of a connection.
    template <BuildFromArgsMode mode = BUILD_ONLY, std::integral Index>
    static FabricConnectionManager build_from_args(
        Index& arg_idx, tessera::CallSite site = tessera::CallSite::here()) {
        FabricConnectionManager built;
        for (End* end : {&built.forward_, &built.backward_}) {
            end->exists = get_arg_val<std::uint32_t>(static_cast<int>(arg_idx++), site) != 0;
            if (end->exists) {
                end->sender =
                    WorkerToFabricEdmSender::build_from_args<ProgrammableCoreType::TENSIX>(arg_idx,
                                                                                           site);
            }
        }
        if constexpr (mode == BUILD_AND_OPEN_CONNECTION) {
            built.open(site);
        } else if constexpr (mode == BUILD_AND_OPEN_CONNECTION_START_ONLY) {
            built.open_start(site);
        }
        return built;
    }

    [[nodiscard]] bool has_forward_connection() const { return forward_.exists; }
    [[nodiscard]] bool has_backward_connection() const { return backward_.exists; }
    [[nodiscard]] bool is_logically_connected() const {
        return forward_.exists || backward_.exists;
    }
    WorkerToFabricEdmSender& get_forward_connection() { return forward_.sender; }
    WorkerToFabricEdmSender& get_backward_connection() { return backward_.sender; }

    void open(tessera::CallSite site = tessera::CallSite::here()) {
        for_each([=](WorkerToFabricEdmSender& sender) { sender.open(site); });
    }
    void open_start(tessera::CallSite site = tessera::CallSite::here()) {
        for_each([=](WorkerToFabricEdmSender& sender) { sender.open_start(site); });
    }
    void open_finish(tessera::CallSite site = tessera::CallSite::here()) {
        for_each([=](WorkerToFabricEdmSender& sender) { sender.open_finish(site); });
    }
    void close(tessera::CallSite site = tessera::CallSite::here()) {
        for_each([=](WorkerToFabricEdmSender& sender) { sender.close(site); });
    }
    void close_start(tessera::CallSite site = tessera::CallSite::here()) {
        for_each([=](WorkerToFabricEdmSender& sender) { sender.close_start(site); });
    }
    void close_finish(tessera::CallSite site = tessera::CallSite::here()) {
        for_each([=](WorkerToFabricEdmSender& sender) { sender.close_finish(site); });
    }

private:
    struct End {
        WorkerToFabricEdmSender sender;
        bool exists = false;
    };
    template <class Act>
    void for_each(Act act) {
        for (End* end : {&forward_, &backward_}) {
            if (end->exists) {
                act(end->sender);
            }
        }
    }

    End forward_;
    End backward_;
};

/// Returns the direction of the first link on the way to a device.
inline std::uint32_t get_next_hop_router_direction(
    std::uint32_t /*mesh*/, std::uint32_t device,
    tessera::CallSite site = tessera::CallSite::here()) {
    return tessera::kernel::fabric_first_direction(device, site);
}
