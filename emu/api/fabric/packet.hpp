// SPDX-License-Identifier: Apache-2.0
// One packet on its way over a mesh link: what its header asks for, done on the device it reaches.
#pragma once

#include <cstdint>

#include "emu/mesh/link.hpp"
#include "tessera/call_site.hpp"
#include "tessera/kernel/fabric.hpp"

namespace tessera {

class KernelThread;

struct FabricPacket {
    tt::tt_fabric::LowLatencyPacketHeader header;
    std::uint32_t payload_address = 0;  ///< in the sender's L1
    std::uint32_t payload_size = 0;
    std::uint32_t channel = 0;
    const char* call = "";
    CallSite site;
};

/// Sends the packet. Payloads stay in flight as writes over a NoC do; an addition takes effect at
/// once, behind all that the thread sent over the link before.
/// Errors   KernelFault as WorkerToFabricEdmSender says.
void send_packet(KernelThread& thread, const FabricPacket& packet);

}  // namespace tessera
