// SPDX-License-Identifier: Apache-2.0
// Replays muxes of the fabric: cores that take packets of several workers and hand them to one
// link's sender. A mux goes round its channels and takes a packet of each that has one. Its RISC is
// busy with a packet before it goes out and behind it (link.mux_slot); meanwhile it gives slots and
// waits until the packet has left its L1 (link.mux_credit). The RISC has no instructions of its own
// in the trace, since the order in which it finds packets is one of time.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/timing/in_flight.hpp"
#include "tessera/trace.hpp"

namespace tessera::timing {

struct ReplayState;
struct EngineThread;

/// A thread's connection: link by which its events name it, and channel of a mux behind it.
struct MuxClient {
    std::uint8_t link_channel = 0;
    std::uint8_t channel = 0;
    std::uint32_t mux = 0;  ///< index into ReplayState::muxes
};

struct MuxChannel {
    std::uint32_t num_buffers = 0;
    std::uint32_t num_taken = 0;    ///< slots that workers have taken
    std::vector<InFlight> arrived;  ///< ring of packets in buffers
    std::uint32_t first = 0;        ///< of the ring
    std::uint32_t num_arrived = 0;
    std::vector<std::uint32_t> waiters;  ///< threads that wait for a slot
};

struct MuxState {
    std::uint32_t core = 0;    ///< index into ReplayState::cores
    std::uint32_t sender = 0;  ///< index into ReplayState::senders
    std::vector<MuxChannel> channels;
    std::uint32_t next = 0;     ///< channel that it looks into next
    std::uint32_t current = 0;  ///< channel of the packet in hand
    InFlight in_hand;
    /// Of the packet in hand: that it has left, that the RISC is done with it. 0: idle.
    std::uint32_t num_due = 0;
    bool waits_for_sender = false;
};

/// Connects a thread to a channel.
/// Errors   UsageError if there is no kernel on the mux's core, or if the mux has no such channel.
void connect_to_mux(ReplayState& state, EngineThread& thread, MuxArgument argument);
/// Ends the connection that the thread's event closes, if it is one to a mux.
void disconnect_from_mux(EngineThread& thread);
/// The thread's channel of a mux that sends over the link of its event; null if it has none.
[[nodiscard]] MuxChannel* mux_channel_of(ReplayState& state, const EngineThread& thread);

/// Sends the packet of the thread's event to its mux, at the thread's time.
void send_to_mux(ReplayState& state, EngineThread& thread, const TraceEvent* word);
/// A packet has arrived in a buffer of its mux.
void arrive_at_mux(ReplayState& state, const InFlight& packet);
/// One of the two things that a mux waits for with the packet in hand has come true.
void advance_mux(ReplayState& state, std::uint32_t mux);
/// Goes on with muxes that wait for a slot of a sender, by its number.
void wake_muxes(ReplayState& state, std::uint32_t sender);

}  // namespace tessera::timing
