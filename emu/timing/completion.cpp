// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "emu/timing/events.hpp"
#include "emu/timing/request.hpp"
#include "tessera/errors.hpp"

namespace tessera::timing {
namespace {

/// Returns the cause of waits that `transfer` ends. `id` is that of its branch, if a branch ends
/// them.
WaitCause cause_of(const ReplayState& state, const InFlight& transfer, TransferId id) {
    Transit transit = state.transport.transit(id);
    transit[static_cast<std::size_t>(ResourceKind::MeshLink)] += transfer.at_mux;
    WaitCause cause{transfer.thread, transfer.site, transfer.start, {}};
    for (std::size_t i = 0; i < transit.size(); ++i) {
        ensure(transit[i] >= 0, "a transfer is under way for {} millicycles", transit[i]);
        // Saturates at 4.3 M cycles: the kinds are only compared with each other.
        cause.transit[i] =
            static_cast<std::uint32_t>(std::min<Millicycles>(transit[i], WaitCause::kMost));
    }
    return cause;
}

WaitCause cause_of(const ReplayState& state, TransferId id) {
    return cause_of(state, state.in_flight_of(id), id);
}

/// Returns the far end of a transfer, which is the object of waits for it. For a multicast it is
/// the first receiver: an object is one word, which has no place for a rectangle.
NocPlace place_of(const TraceEvent& event) {
    switch (event.kind) {
        case EventKind::NocRead:
        case EventKind::NocWrite:
            return TransferArgument::unpack(event.argument).place;
        case EventKind::SemaphoreAdd:
        case EventKind::WordWrite:
            return WordArgument::unpack(event.argument).place;
        case EventKind::FabricPacket:
            return FabricArgument::unpack(event.argument).place;
        default:
            return NocPlace::worker(MulticastArgument::unpack(event.argument).start);
    }
}

void wake_by(ReplayState& state, EngineThread& thread, TransferId id) {
    thread.woken_at = state.now;
    thread.woken_object = place_of(*state.in_flight_of(id).event).bits;
    thread.woken_by = cause_of(state, id);
    state.wake(thread.index);
}

/// Removes a transfer from its thread's pending ones. Ends the thread's barrier if it was the last.
/// A barrier with a transaction id waits only for transfers of that id.
void retire(ReplayState& state, TransferId id, Pending kind) {
    const InFlight& transfer = state.in_flight_of(id);
    EngineThread& thread = state.threads[transfer.thread];
    thread.pending.remove(kind, TransferDetail{transfer.event->detail},
                          transaction_id(*transfer.event));
    if (thread.block != Block::Barrier || pending_of(thread.event().kind) != kind) {
        return;
    }
    if (thread.pending.of(kind, BarrierDetail{thread.event().detail}) == 0) {
        wake_by(state, thread, id);
    }
}

// Wakes all waiting threads, although one slot is free: each tries again when it is due, and those
// that find no slot wait again.
void free_slot(ReplayState& state, TransferId id, std::vector<std::uint32_t>& waiters) {
    for (const std::uint32_t waiter : waiters) {
        wake_by(state, state.threads[waiter], id);
    }
    waiters.clear();
}

std::vector<std::uint32_t>& niu_waiters_of(ReplayState& state, const InFlight& transfer) {
    const std::uint32_t core = state.threads[transfer.thread].core;
    return state.cores[core].niu_waiters[TransferDetail{transfer.event->detail}.noc()];
}

void change_words(ReplayState& state, TransferId id) {
    const InFlight& transfer = state.in_flight_of(id);
    const TraceEvent& event = *transfer.event;
    const CoreTrace& issuer = *state.cores[state.threads[transfer.thread].core].trace;
    const WaitCause cause = cause_of(state, id);
    const bool adds =
        event.kind == EventKind::SemaphoreAdd || event.kind == EventKind::MulticastAdd;
    const WordChange change = adds ? WordChange::Add : WordChange::Write;
    const Request request = to_request(event, issuer, state.machine);
    if (request.kind == RequestKind::Atomic || request.kind == RequestKind::Word) {
        if (!request.place.is_dram()) {
            change_word(state, state.core_index(issuer.device, request.place.core()),
                        WordArgument::unpack(event.argument).address, change, event.count, cause);
        }
        return;
    }
    const std::uint32_t address = MulticastArgument::unpack(event.argument).address;
    for (std::uint32_t y = request.rect_start.y; y <= request.rect_end.y; ++y) {
        for (std::uint32_t x = request.rect_start.x; x <= request.rect_end.x; ++x) {
            if (request.includes_sender || CoreCoord{x, y} != issuer.core) {
                change_word(state, state.core_index(issuer.device, {x, y}), address, change,
                            event.count, cause);
            }
        }
    }
}

/// Releases the command places of packets that have left the source.
void free_commands(ReplayState& state, TransferId id, std::uint32_t packets) {
    InFlight& transfer = state.in_flight_of(id);
    transfer.num_unsent -= packets;
    state.threads[transfer.thread].num_queued_writes -= packets;
    free_slot(state, id, niu_waiters_of(state, transfer));
}

// From now on the source may be reused. noc_async_writes_flushed waits for departures, the barrier
// for acknowledgements.
void depart(ReplayState& state, TransferId id) {
    const InFlight& transfer = state.in_flight_of(id);
    if (transfer.leg == MuxLeg::FromMux) {
        return advance_mux(state, transfer.mux);
    }
    if (is_write(transfer.event->kind)) {
        retire(state, id, Pending::Flushes);
    }
    free_commands(state, id, transfer.num_unsent);
}

void free_sender(ReplayState& state, TransferId id) {
    const std::uint32_t sender = sender_of(state, state.in_flight_of(id));
    --state.senders[sender].num_packets;
    free_slot(state, id, state.senders[sender].waiters);
    wake_muxes(state, sender);
}

void deliver(ReplayState& state, TransferId id) {
    const InFlight& transfer = state.in_flight_of(id);
    const EventKind kind = transfer.event->kind;
    if (transfer.leg == MuxLeg::ToMux) {
        arrive_at_mux(state, transfer);
    } else if (kind == EventKind::NocRead) {
        retire(state, id, Pending::Reads);
        free_slot(state, id, niu_waiters_of(state, transfer));
    } else if (changes_words(kind)) {
        change_words(state, id);
    } else if (kind == EventKind::FabricPacket && transfer.word != nullptr) {
        // A fused write and increment: the word changes after the payload is in place, so a
        // receiver that sees the word may read the payload.
        deliver_word(state, transfer, WordArgument::unpack(transfer.word->argument).device,
                     cause_of(state, id));
    }
}

void pass(ReplayState& state, TransferId id, const StageResult& result) {
    const InFlight& packet = state.in_flight_of(result.started);
    if (packet.word != nullptr) {
        deliver_word(state, packet, result.device, cause_of(state, packet, id));
    }
}

void acknowledge(ReplayState& state, TransferId id) {
    const InFlight& transfer = state.in_flight_of(id);
    if (!is_acknowledged(*transfer.event)) {
        return;
    }
    retire(state, id, is_write(transfer.event->kind) ? Pending::Writes : Pending::Atomics);
    free_slot(state, id, niu_waiters_of(state, transfer));
}

}  // namespace

void apply_milestone(ReplayState& state, TransferId id, const StageResult& result) {
    switch (result.milestone) {
        case Milestone::None:
            return;
        case Milestone::PacketSent:
            return free_commands(state, id, 1);
        case Milestone::Departed:
            return depart(state, id);
        case Milestone::Delivered:
            return deliver(state, id);
        case Milestone::Acknowledged:
            return acknowledge(state, id);
        case Milestone::SlotFreed:
            return free_sender(state, id);
        case Milestone::Passed:
            return pass(state, id, result);
    }
}

}  // namespace tessera::timing
