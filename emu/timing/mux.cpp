// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/mux.hpp"

#include <algorithm>
#include <optional>

#include "emu/timing/events.hpp"
#include "emu/timing/request.hpp"
#include "tessera/errors.hpp"

namespace tessera::timing {
namespace {

void put(MuxChannel& channel, const InFlight& packet) {
    const std::size_t place = (channel.first + channel.num_arrived) % channel.arrived.size();
    channel.arrived[place] = packet;
    ++channel.num_arrived;
}

InFlight take(MuxChannel& channel) {
    const InFlight packet = channel.arrived[channel.first];
    channel.first = static_cast<std::uint32_t>((channel.first + 1) % channel.arrived.size());
    --channel.num_arrived;
    return packet;
}

// Starts after the channel served last, so that a channel that is always full does not starve
// others.
std::optional<std::uint32_t> next_filled(const MuxState& mux) {
    const auto count = static_cast<std::uint32_t>(mux.channels.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t channel = (mux.next + i) % count;
        if (mux.channels[channel].num_arrived != 0) {
            return channel;
        }
    }
    return std::nullopt;
}

// Two conditions must hold before the RISC looks for the next packet, in any order: this one has
// left the mux's L1, so that its buffer may be reused, and the worker's credit is written.
void send_on(ReplayState& state, std::uint32_t index) {
    MuxState& mux = state.muxes[index];
    const Millicycles issued = state.now + state.costs.link.mux_slot;
    InFlight packet = mux.in_hand;
    packet.leg = MuxLeg::FromMux;
    packet.at_mux = issued - packet.start;
    const Request request = to_request(*packet.event, *state.cores[mux.core].trace, state.machine);
    note_in_flight(state, state.transport.start(request, issued, state.queue), packet);
    mux.num_due = 2;
    state.queue.push(issued + state.costs.link.mux_credit, QueueEvent::MuxReady, index);
}

// If the sender is full the mux waits without a packet: it chooses one when there is a slot, not
// when it begins to wait.
void serve(ReplayState& state, std::uint32_t index) {
    MuxState& mux = state.muxes[index];
    if (mux.num_due != 0) {
        return;
    }
    const std::optional<std::uint32_t> channel = next_filled(mux);
    if (!channel) {
        return;
    }
    SenderState& sender = state.senders[mux.sender];
    mux.waits_for_sender = sender.num_packets >= state.costs.link.sender_slots;
    if (mux.waits_for_sender) {
        return;
    }
    ++sender.num_packets;
    mux.current = *channel;
    mux.next = static_cast<std::uint32_t>((*channel + 1) % mux.channels.size());
    mux.in_hand = take(mux.channels[*channel]);
    send_on(state, index);
}

// Wakes all threads that wait for a slot of the channel, as free_slot() of a sender does.
void free_slot(ReplayState& state, MuxState& mux) {
    MuxChannel& channel = mux.channels[mux.current];
    --channel.num_taken;
    const InFlight& packet = mux.in_hand;
    WaitCause cause{packet.thread, packet.site, packet.start, {}};
    cause.transit[static_cast<std::size_t>(ResourceKind::MeshLink)] = static_cast<std::uint32_t>(
        std::min<Millicycles>(state.now - packet.start, WaitCause::kMost));
    for (const std::uint32_t waiter : channel.waiters) {
        EngineThread& thread = state.threads[waiter];
        thread.woken_at = state.now;
        thread.woken_object = FabricArgument::unpack(packet.event->argument).place.bits;
        thread.woken_by = cause;
        state.wake(waiter);
    }
    channel.waiters.clear();
}

const MuxClient* client_of(const EngineThread& thread) {
    const auto found =
        std::ranges::find(thread.mux_clients, thread.event().detail, &MuxClient::link_channel);
    return found == thread.mux_clients.end() ? nullptr : &*found;
}

}  // namespace

void connect_to_mux(ReplayState& state, EngineThread& thread, MuxArgument argument) {
    const std::uint32_t device = state.cores[thread.core].trace->device;
    const CoreCoord place = argument.place.core();
    const GridSize grid = state.machine.arch.workers.compute;
    const bool has_core = place.x < grid.columns && place.y < grid.rows;
    const std::uint32_t core = has_core ? state.core_index(device, place) : kNoThread;
    require(
        core != kNoThread && argument.channel < argument.num_channels && argument.num_buffers != 0,
        "trace: event {}: a connection to channel {} of {} of a mux on core ({},{}), with {} "
        "buffers; a kernel runs there, and a channel has buffers",
        thread.next, argument.channel, argument.num_channels, place.x, place.y,
        argument.num_buffers);
    // The first connection creates the mux: a trace has what workers send, but not the arguments of
    // a mux's kernel.
    auto found = std::ranges::find(state.muxes, core, &MuxState::core);
    if (found == state.muxes.end()) {
        MuxState mux{.core = core, .sender = sender_number(device, thread.event().detail)};
        mux.channels.resize(argument.num_channels);
        state.muxes.push_back(std::move(mux));
        found = std::prev(state.muxes.end());
    }
    const CoreCoord client = state.cores[thread.core].trace->core;
    require(
        argument.channel < found->channels.size(),
        "trace: event {}: {} on core ({},{}) connects to channel {} of the mux on core ({},{}); "
        "its first connection gave it {} channels, and numbers below that are allowed",
        thread.next, name_of(thread.role), client.x, client.y, argument.channel, place.x, place.y,
        found->channels.size());
    MuxChannel& channel = found->channels[argument.channel];
    if (channel.arrived.empty()) {
        channel.num_buffers = argument.num_buffers;
        channel.arrived.resize(argument.num_buffers);
    }
    thread.mux_clients.push_back({thread.event().detail, argument.channel,
                                  static_cast<std::uint32_t>(found - state.muxes.begin())});
}

void disconnect_from_mux(EngineThread& thread) {
    if (const MuxClient* const client = client_of(thread)) {
        thread.mux_clients.erase(thread.mux_clients.begin() + (client - thread.mux_clients.data()));
    }
}

MuxChannel* mux_channel_of(ReplayState& state, const EngineThread& thread) {
    const MuxClient* const client = client_of(thread);
    return client == nullptr ? nullptr : &state.muxes[client->mux].channels[client->channel];
}

void send_to_mux(ReplayState& state, EngineThread& thread, const TraceEvent* word) {
    const MuxClient& client = *client_of(thread);
    const MuxState& mux = state.muxes[client.mux];
    const CoreTrace& own = *state.cores[thread.core].trace;
    ++mux_channel_of(state, thread)->num_taken;
    // Header and payload are one posted write into the channel's buffer. The mux sees it arrive, so
    // it needs no acknowledgement.
    const Request write{.kind = RequestKind::Write,
                        .device = own.device,
                        .core = own.core,
                        .is_posted = true,
                        .place = NocPlace::worker(state.cores[mux.core].trace->core),
                        .bytes = thread.event().count +
                                 static_cast<std::uint32_t>(state.costs.link.packet_overhead)};
    const TransferId id = state.transport.start(write, thread.log.now(), state.queue);
    note_in_flight(state, id,
                   {.event = &thread.event(),
                    .word = word,
                    .thread = thread.index,
                    .site = thread.site(),
                    .leg = MuxLeg::ToMux,
                    .mux_channel = client.channel,
                    .mux = client.mux,
                    .start = thread.log.now()});
}

void arrive_at_mux(ReplayState& state, const InFlight& packet) {
    put(state.muxes[packet.mux].channels[packet.mux_channel], packet);
    serve(state, packet.mux);
}

void advance_mux(ReplayState& state, std::uint32_t index) {
    MuxState& mux = state.muxes[index];
    if (--mux.num_due == 0) {
        free_slot(state, mux);
        serve(state, index);
    }
}

void wake_muxes(ReplayState& state, std::uint32_t sender) {
    for (std::uint32_t index = 0; index < state.muxes.size(); ++index) {
        if (state.muxes[index].sender == sender && state.muxes[index].waits_for_sender) {
            serve(state, index);
        }
    }
}

}  // namespace tessera::timing
