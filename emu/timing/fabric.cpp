// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/events.hpp"
#include "tessera/errors.hpp"
#include "tessera/mesh_links.hpp"

namespace tessera::timing {
namespace {

constexpr std::size_t kChannels = kLinkDirections.size() * kLinksPerDirection;

SenderState& sender_of(ReplayState& state, const EngineThread& thread) {
    return state
        .senders[sender_number(state.cores[thread.core].trace->device, thread.event().detail)];
}

bool is_fabric_word(EventKind kind) {
    return kind == EventKind::FabricAdd || kind == EventKind::FabricWord;
}

// The word is an event of its own after the packet: an event has one argument, and that of the
// packet is the place of its payload.
const TraceEvent* carried_word(const EngineThread& thread) {
    if (!FabricArgument::unpack(thread.event().argument).has_add) {
        return nullptr;
    }
    const auto& events = thread.trace->events;
    require(thread.next + 1 < events.size() && is_fabric_word(events[thread.next + 1].kind),
            "trace: event {}: FabricPacket has has_add, but no FabricAdd or FabricWord follows",
            thread.next);
    return &events[thread.next + 1];
}

}  // namespace

std::uint32_t sender_number(std::uint32_t device, std::uint32_t channel) {
    require(channel < kChannels, "trace: there is no channel {}, a device has {}", channel,
            kChannels);
    return static_cast<std::uint32_t>(device * kChannels + channel);
}

// A handshake with a mux costs as much as one with a router: its cost was fitted to collectives
// with either.
Progress do_connection(ReplayState& state, EngineThread& thread) {
    const bool opens = thread.event().kind == EventKind::FabricOpen;
    if (opens && thread.event().argument != 0) {
        connect_to_mux(state, thread, MuxArgument::unpack(thread.event().argument));
    } else if (!opens) {
        disconnect_from_mux(thread);
    }
    const Millicycles each = opens ? state.costs.link.open : state.costs.link.close;
    thread.log.spend(Activity::FabricIssue, thread.site(), each * thread.event().count);
    return Progress::Finished;
}

// The sender has the slots, not the thread: workers that share a sender's connection compete for
// its buffer (link.sender_slots).
Progress do_fabric_slot(ReplayState& state, EngineThread& thread) {
    end_wait(state, thread);
    if (!state.is_due(thread)) {
        return Progress::Held;
    }
    if (MuxChannel* const channel = mux_channel_of(state, thread)) {
        if (channel->num_taken >= channel->num_buffers) {
            channel->waiters.push_back(thread.index);
            return hold(thread, Block::FabricSlot, Activity::WaitFabric, thread.event().detail);
        }
        return Progress::Finished;
    }
    SenderState& sender = sender_of(state, thread);
    if (sender.num_packets >= state.costs.link.sender_slots) {
        sender.waiters.push_back(thread.index);
        return hold(thread, Block::FabricSlot, Activity::WaitFabric, thread.event().detail);
    }
    return Progress::Finished;
}

Progress do_fabric_packet(ReplayState& state, EngineThread& thread) {
    if (!thread.is_issued) {
        thread.log.spend(Activity::FabricIssue, thread.site(), state.costs.link.worker_issue);
        thread.is_issued = true;
    }
    if (!state.is_due(thread)) {
        return Progress::Held;
    }
    if (mux_channel_of(state, thread) != nullptr) {
        send_to_mux(state, thread, carried_word(thread));
        return Progress::Finished;
    }
    ++sender_of(state, thread).num_packets;
    start_transfer(state, thread, 1, carried_word(thread));
    return Progress::Finished;
}

std::uint32_t sender_of(const ReplayState& state, const InFlight& packet) {
    const std::uint32_t core = state.threads[packet.thread].core;
    return sender_number(state.cores[core].trace->device, packet.event->detail);
}

void deliver_word(ReplayState& state, const InFlight& packet, std::uint32_t device,
                  const WaitCause& cause) {
    const auto word = WordArgument::unpack(packet.word->argument);
    change_word(state, state.core_index(device, word.place.core()), word.address,
                packet.word->kind == EventKind::FabricAdd ? WordChange::Add : WordChange::Write,
                packet.word->count, cause);
}

}  // namespace tessera::timing
