// SPDX-License-Identifier: Apache-2.0
// Muxes of the fabric: cores that collect packets of several workers for one link's sender. A mux
// serves its channels in turn. Its RISC is busy with a packet before and after sending it
// (link.mux_slot). In between it returns the worker's slot and waits until the packet has left its
// L1 (link.mux_credit). The trace has no instructions of this RISC, because the order in which it
// finds packets depends on time.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/timing/in_flight.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

struct ReplayState;
struct EngineThread;

/// Connection of a thread: the link channel that its events name, and the mux channel in its place.
struct MuxClient {
    std::uint8_t link_channel = 0;
    std::uint8_t channel = 0;
    std::uint32_t mux = 0;  ///< index into ReplayState::muxes
};

/// Buffers of a mux for the packets of one or more workers.
struct MuxChannel {
    std::uint32_t num_buffers = 0;
    std::uint32_t num_taken = 0;    ///< slots that workers have taken
    std::vector<InFlight> arrived;  ///< ring of packets in buffers
    std::uint32_t first = 0;        ///< oldest packet of the ring
    std::uint32_t num_arrived = 0;
    std::vector<std::uint32_t> waiters;  ///< threads that wait for a slot
};

/// State of a mux.
struct MuxState {
    std::uint32_t core = 0;    ///< index into ReplayState::cores
    std::uint32_t sender = 0;  ///< index into ReplayState::senders
    std::vector<MuxChannel> channels;
    std::uint32_t next = 0;     ///< channel that it tries next
    std::uint32_t current = 0;  ///< channel of the packet in hand
    InFlight in_hand;
    /// Conditions that the packet in hand still waits for: it has left, and the RISC has handled
    /// it. 0: the mux is idle.
    std::uint32_t num_due = 0;
    bool waits_for_sender = false;
};

/// Connects a thread to a channel.
/// Errors   UsageError if there is no kernel on the mux's core, or if the mux has no such channel.
void connect_to_mux(ReplayState& state, EngineThread& thread, MuxArgument argument);
/// Ends the connection that the thread's event closes, if it is one to a mux.
void disconnect_from_mux(EngineThread& thread);
/// Returns the thread's channel of a mux that sends over the link of its event, or nullptr.
[[nodiscard]] MuxChannel* mux_channel_of(ReplayState& state, const EngineThread& thread);

/// Sends the packet of the thread's event to its mux, at the thread's time.
void send_to_mux(ReplayState& state, EngineThread& thread, const TraceEvent* word);
/// Stores a packet that has arrived in a buffer of its mux.
void arrive_at_mux(ReplayState& state, const InFlight& packet);
/// Counts one of the two conditions that the packet in hand waits for as met.
void advance_mux(ReplayState& state, std::uint32_t mux);
/// Resumes the muxes that wait for a slot of a sender.
void wake_muxes(ReplayState& state, std::uint32_t sender);

}  // namespace tessera::timing
