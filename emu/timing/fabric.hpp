// SPDX-License-Identifier: Apache-2.0
// Packets from data-movement threads to the senders of mesh links.
#pragma once

#include "emu/timing/state.hpp"

namespace tessera::timing {

/// FabricOpen or FabricClose.
Progress do_connection(ReplayState& state, EngineThread& thread);
/// FabricSlot: until the sender has room for a packet.
Progress do_fabric_slot(ReplayState& state, EngineThread& thread);
/// FabricPacket, with the FabricAdd or FabricWord behind it if it carries one.
Progress do_fabric_packet(ReplayState& state, EngineThread& thread);

/// The sender that took a packet.
[[nodiscard]] SenderState& sender_of(ReplayState& state, const InFlight& packet);
/// Changes the word of a packet that has arrived: at its device, and for a multicast at each device
/// on the way.
void deliver_word(ReplayState& state, const InFlight& packet, const WaitCause& cause);

}  // namespace tessera::timing
