// SPDX-License-Identifier: Apache-2.0
// Sends one packet over mesh links and executes the command in its header at the destination.
#pragma once

#include <cstdint>

#include "emu/mesh/link.hpp"
#include "tessera/call_site.hpp"
#include "tessera/kernel/fabric.hpp"

namespace tessera {

class KernelThread;

/// Packet of a worker, and the API call that sends it.
struct FabricPacket {
    tt::tt_fabric::LowLatencyPacketHeader header;
    std::uint32_t payload_address = 0;  ///< address in the sender's L1
    std::uint32_t payload_size = 0;     ///< bytes
    std::uint32_t channel = 0;          ///< mesh link channel, as in FabricConnection
    const char* call = "";
    CallSite site;
};

/// Sends the packet. A payload stays in flight like a write over a NoC. An addition takes effect
/// immediately, after all that the thread sent over the link before.
/// Errors   KernelFault as documented at WorkerToFabricEdmSender.
void send_packet(KernelThread& thread, const FabricPacket& packet);

}  // namespace tessera
