// SPDX-License-Identifier: Apache-2.0
// Events of a trace as requests to the transport.
#pragma once

#include "emu/timing/transport.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

/// Whether barriers wait for an acknowledgement of such an event.
[[nodiscard]] bool is_acknowledged(const TraceEvent& event);
/// Whether the event changes words where it arrives.
[[nodiscard]] bool changes_words(EventKind kind) noexcept;
/// Whether the event is a write to barriers: not a read, not an atomic.
[[nodiscard]] bool is_write(EventKind kind) noexcept;

/// The request of an event of `core`; FabricPacket included.
/// Errors   UsageError if the machine has no such core, bank or device.
[[nodiscard]] Request to_request(const TraceEvent& event, const CoreTrace& core,
                                 const Machine& machine);

/// Of transfers that have one.
[[nodiscard]] std::uint8_t transaction_id(const TraceEvent& event) noexcept;
/// Packets of a transfer: reads, writes and multicasts are cut at the largest packet.
[[nodiscard]] std::uint32_t num_packets(const TraceEvent& event, const Machine& machine);

}  // namespace tessera::timing
