// SPDX-License-Identifier: Apache-2.0
// One packet on its way over a mesh link: what its header asks for, done on the device it reaches.
#pragma once

#include <cstdint>

#include "emu/mesh/link.hpp"
#include "tessera/call_site.hpp"
#include "tessera/data_format.hpp"
#include "tessera/kernel/fabric.hpp"
#include "tessera/units.hpp"

namespace tessera {

class KernelThread;

/// Largest payload in bytes that the fabric can be configured for: as many whole bfp8_b tiles as
/// fit into a NoC packet together with the header (96 bytes at most in one dimension).
/// Source   tt-metal tech_reports/CCLs/CCL_bandwidth.md: 7616 on Wormhole, 15232 on Blackhole.
[[nodiscard]] constexpr std::uint32_t largest_fabric_payload(Bytes max_noc_packet) noexcept {
    constexpr std::uint32_t kLongestHeader = 96;
    constexpr std::uint32_t kTile = tile_bytes(DataFormat::Bfp8_b);
    return (static_cast<std::uint32_t>(max_noc_packet.value) - kLongestHeader) / kTile * kTile;
}
static_assert(largest_fabric_payload(Bytes{8192}) == 7616);
static_assert(largest_fabric_payload(Bytes{16384}) == 15232);

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
