// SPDX-License-Identifier: Apache-2.0
// Conversion of trace events to requests to the transport.
#pragma once

#include "emu/timing/transport.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

/// Returns whether barriers wait for an acknowledgement of the event.
[[nodiscard]] bool is_acknowledged(const TraceEvent& event);
/// Returns whether the event changes words of L1 at its destination.
[[nodiscard]] bool changes_words(EventKind kind) noexcept;
/// Returns whether barriers count the event as a write: not a read, not an atomic.
[[nodiscard]] bool is_write(EventKind kind) noexcept;

/// Returns the request of an event of `core`, which may be a FabricPacket.
/// Errors   UsageError if the machine has no such core, bank or device.
[[nodiscard]] Request to_request(const TraceEvent& event, const CoreTrace& core,
                                 const Machine& machine);

/// Returns a transfer's transaction id.
/// Precondition   its detail has kHasId.
[[nodiscard]] std::uint8_t transaction_id(const TraceEvent& event) noexcept;
/// Returns the packets of a transfer: reads, writes and multicasts are cut at the largest packet.
[[nodiscard]] std::uint32_t num_packets(const TraceEvent& event, const ArchSpec& arch);

}  // namespace tessera::timing
