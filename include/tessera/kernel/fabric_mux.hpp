// SPDX-License-Identifier: Apache-2.0
// Sends packets over a mesh link through a mux: a core that forwards the packets of several
// workers.
//
// A worker has a channel of the mux, whose buffers are its slots. In other respects it sends as
// over a link of its own. Packets of one channel keep their order.
// Not here: a mux that sends to another mux, and status words of routers.
// Source   tt-metal tt_metal/fabric/hw/inc/tt_fabric_mux_interface.hpp.
#pragma once

#include "tessera/kernel/dataflow/noc.hpp"
#include "tessera/kernel/fabric.hpp"
#include "tessera/kernel/fabric_mux_layout.hpp"

namespace tessera::kernel {

/// Channel of a mux, from the arguments of a worker.
struct FabricMuxChannel {
    std::uint8_t noc_x = 0;
    std::uint8_t noc_y = 0;
    std::uint8_t number = 0;
    std::uint8_t num_buffers = 0;
    std::uint32_t buffer_size = 0;
    std::uint32_t base_address = 0;
};

/// Waits until the mux at (noc_x, noc_y) accepts packets.
/// Errors   UndefinedBehavior if no kernel runs there.
void fabric_mux_wait(std::uint8_t noc_x, std::uint8_t noc_y, CallSite site);
/// Opens a connection to a channel of a mux.
/// Errors   as fabric_mux_wait; UndefinedBehavior if the mux has no such channel.
void fabric_mux_connect(FabricConnection& connection, const FabricMuxChannel& channel,
                        CallSite site);

/// Start and end a mux. Its kernel calls the first when the connection to its link is open, and the
/// second when no worker needs it any more.
void fabric_mux_begin(std::uint32_t link_channel, const FabricMuxLayout& layout);
void fabric_mux_end();

}  // namespace tessera::kernel

namespace tt::tt_fabric {

/// Worker's connection to a channel of a mux.
template <std::uint8_t FABRIC_MUX_CHANNEL_NUM_BUFFERS = 0>
class WorkerToFabricMuxSender : public WorkerToFabricEdmSender {
public:
    WorkerToFabricMuxSender() = default;
    explicit WorkerToFabricMuxSender(const tessera::kernel::FabricMuxChannel& channel)
        : channel_(channel) {}

    void open(tessera::CallSite site = tessera::CallSite::here()) {
        tessera::kernel::fabric_mux_connect(connection_, channel_, site);
    }

private:
    tessera::kernel::FabricMuxChannel channel_;
};

/// Builds a connection from addresses of FabricMuxConfig. The addresses after the channel's base
/// are used on the chip only.
template <std::uint8_t FABRIC_MUX_CHANNEL_NUM_BUFFERS = 0>
WorkerToFabricMuxSender<FABRIC_MUX_CHANNEL_NUM_BUFFERS> build_connection_to_fabric_endpoint(
    std::uint8_t fabric_mux_x, std::uint8_t fabric_mux_y, std::uint8_t fabric_mux_channel_id,
    std::uint8_t fabric_mux_num_buffers_per_channel,
    std::size_t fabric_mux_channel_buffer_size_bytes, std::size_t fabric_mux_channel_base_address,
    std::size_t /*fabric_mux_connection_info_address*/,
    std::size_t /*fabric_mux_connection_handshake_address*/,
    std::size_t /*fabric_mux_flow_control_address*/,
    std::size_t /*fabric_mux_buffer_index_address*/, std::uint32_t /*local_flow_control_address*/,
    std::uint32_t /*local_teardown_address*/, std::uint32_t /*local_buffer_index_address*/) {
    return WorkerToFabricMuxSender<FABRIC_MUX_CHANNEL_NUM_BUFFERS>(
        {.noc_x = fabric_mux_x,
         .noc_y = fabric_mux_y,
         .number = fabric_mux_channel_id,
         .num_buffers = fabric_mux_num_buffers_per_channel,
         .buffer_size = static_cast<std::uint32_t>(fabric_mux_channel_buffer_size_bytes),
         .base_address = static_cast<std::uint32_t>(fabric_mux_channel_base_address)});
}

inline void wait_for_fabric_endpoint_ready(std::uint8_t fabric_mux_x, std::uint8_t fabric_mux_y,
                                           std::size_t /*fabric_mux_status_address*/,
                                           std::uint32_t /*local_fabric_mux_status_address*/,
                                           tessera::CallSite site = tessera::CallSite::here()) {
    tessera::kernel::fabric_mux_wait(fabric_mux_x, fabric_mux_y, site);
}

template <class Sender>
void fabric_client_connect(Sender& connection, tessera::CallSite site = tessera::CallSite::here()) {
    connection.open(site);
}
template <class Sender>
void fabric_client_disconnect(Sender& connection,
                              tessera::CallSite site = tessera::CallSite::here()) {
    connection.close(site);
}

/// Sends a payload and its header.
template <class Sender>
void fabric_async_write(Sender& connection, volatile tt_l1_ptr PACKET_HEADER_TYPE* packet_header,
                        std::uint32_t source_payload_address,
                        std::uint32_t packet_payload_size_bytes,
                        tessera::CallSite site = tessera::CallSite::here()) {
    connection.wait_for_empty_write_slot(site);
    connection.send_payload_without_header_non_blocking_from_address(
        source_payload_address, packet_payload_size_bytes, site);
    connection.send_payload_blocking_from_address(
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(packet_header)),
        sizeof(PACKET_HEADER_TYPE), site);
}

/// Sends a header without payload.
template <class Sender>
void fabric_atomic_inc(Sender& connection, volatile tt_l1_ptr PACKET_HEADER_TYPE* packet_header,
                       tessera::CallSite site = tessera::CallSite::here()) {
    connection.wait_for_empty_write_slot(site);
    connection.send_payload_non_blocking_from_address(
        static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(packet_header)),
        sizeof(PACKET_HEADER_TYPE), site);
}

/// Values of a mux's status word.
enum FabricMuxStatus : std::uint32_t {
    STARTED = 0xA0B0C0D0,
    READY_FOR_TRAFFIC = 0xA3B3C3D3,
    TERMINATED = 0xA4B4C4D4,
};

enum TerminationSignal : std::uint32_t {
    KEEP_RUNNING = 0,
    GRACEFULLY_TERMINATE = 1,
    IMMEDIATELY_TERMINATE = 2,
};

/// Ends the mux after it has sent all packets in its channels. The vendor's mux does so on
/// `GRACEFULLY_TERMINATE`.
inline void fabric_endpoint_terminate(std::uint8_t fabric_mux_x, std::uint8_t fabric_mux_y,
                                      std::size_t fabric_mux_termination_address,
                                      tessera::CallSite site = tessera::CallSite::here()) {
    const auto address = static_cast<std::uint32_t>(fabric_mux_termination_address);
    tessera::kernel::noc_inline_write(get_noc_addr(fabric_mux_x, fabric_mux_y, address),
                                      TerminationSignal::GRACEFULLY_TERMINATE, 0xF, noc_index,
                                      site);
}

}  // namespace tt::tt_fabric
