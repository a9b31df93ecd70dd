// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/events.hpp"
#include "emu/timing/request.hpp"

namespace tessera::timing {
namespace {

/// Returns the NIU of the core that the event uses: the RISCs of a core share its two NIUs.
Niu niu_of(const ReplayState& state, const EngineThread& thread) {
    const CoreTrace& core = *state.cores[thread.core].trace;
    return {core.device, core.core,
            static_cast<std::uint8_t>(TransferDetail{thread.event().detail}.noc())};
}

bool has_slot(const ReplayState& state, const EngineThread& thread, std::uint32_t packets) {
    const TraceEvent& event = thread.event();
    const Niu niu = niu_of(state, thread);
    if (event.kind == EventKind::NocRead) {
        return state.transport.takes_read(niu, packets);
    }
    // Writes have a second limit beside the NIU's: the number of a RISC's commands that wait to be
    // sent.
    const bool has_command =
        !is_write(event.kind) || thread.num_queued_writes < state.machine.timing.noc.queued_writes;
    return has_command && (!is_acknowledged(event) || state.transport.takes_write(niu));
}

/// Returns whether the RISC cannot write the command of a packet yet, because earlier commands wait
/// in the NIU.
bool is_writing(const ReplayState& state, const EngineThread& thread) {
    return is_write(thread.event().kind) &&
           thread.num_queued_writes > state.machine.timing.noc.queued_writes;
}

void count_start(EngineThread& thread, std::uint32_t packets) {
    const TraceEvent& event = thread.event();
    const TransferDetail detail{event.detail};
    const std::uint8_t id = transaction_id(event);
    if (event.kind == EventKind::NocRead) {
        return thread.pending.add(Pending::Reads, detail, id);
    }
    if (is_write(event.kind)) {
        // Posted writes, too: a flush waits until data has left the source, acknowledged or not.
        thread.pending.add(Pending::Flushes, detail, id);
        thread.num_queued_writes += packets;
    }
    if (is_acknowledged(event)) {
        thread.pending.add(is_write(event.kind) ? Pending::Writes : Pending::Atomics, detail, id);
    }
}

/// Replays one transfer: the command of its first packet, the start, and the commands of further
/// packets. The transport gets the whole transfer at once and cuts it into packets. That is exact
/// enough: the RISC issues the next command (25 cycles) long before the packet has left (262 cycles
/// for 8 KiB at 31.3 B/cycle). The thread is blocked until there is a place for the last command.
Progress do_one(ReplayState& state, EngineThread& thread, std::uint32_t packets) {
    const TraceEvent& event = thread.event();
    const Millicycles cost = issue_cost(state.costs.risc, event);
    if (!thread.is_issued) {
        const Millicycles address = state.costs.risc.of_address(TransferDetail{event.detail});
        thread.log.spend(issue_activity(event.kind), thread.site(), address + cost);
        thread.is_issued = true;
    }
    end_wait(state, thread);
    if (!thread.is_started && !state.is_due(thread)) {
        return Progress::Held;
    }
    const bool is_free = thread.is_started || has_slot(state, thread, packets);
    if (is_free && !thread.is_started) {
        count_start(thread, packets);
        start_transfer(state, thread, packets, nullptr);
        thread.log.spend(issue_activity(event.kind), thread.site(), cost * (packets - 1));
        thread.is_started = true;
    }
    if (!is_free || is_writing(state, thread)) {
        state.cores[thread.core].niu_waiters[TransferDetail{event.detail}.noc()].push_back(
            thread.index);
        return hold(thread, Block::Slot, Activity::WaitNocSlot, 0);
    }
    thread.is_issued = false;
    thread.is_started = false;
    return Progress::Finished;
}

}  // namespace

Activity issue_activity(EventKind kind) noexcept {
    switch (kind) {
        case EventKind::NocRead:
            return Activity::ReadIssue;
        case EventKind::NocWrite:
            return Activity::WriteIssue;
        case EventKind::NocMulticast:
            return Activity::MulticastIssue;
        default:
            return Activity::SemaphoreIssue;
    }
}

std::uint32_t num_transfers(const TraceEvent& event) noexcept {
    return event.kind == EventKind::NocRead || event.kind == EventKind::NocWrite ? event.count : 1;
}

Millicycles issue_cost(const RiscCost& risc, const TraceEvent& event) {
    return changes_words(event.kind) ? risc.semaphore_issue : risc.of_packet(event);
}

void start_transfer(ReplayState& state, EngineThread& thread, std::uint32_t packets,
                    const TraceEvent* word) {
    const TraceEvent& event = thread.event();
    const Request request = to_request(event, *state.cores[thread.core].trace, state.machine);
    const TransferId id = state.transport.start(request, thread.log.now(), state.queue);
    note_in_flight(state, id,
                   {.event = &event,
                    .word = word,
                    .thread = thread.index,
                    .site = thread.site(),
                    .num_unsent = is_write(event.kind) ? packets : 0,
                    .start = thread.log.now()});
}

void note_in_flight(ReplayState& state, TransferId id, const InFlight& transfer) {
    if (index_of(id) >= state.in_flight.size()) {
        state.in_flight.resize(index_of(id) + 1);
    }
    state.in_flight[index_of(id)] = transfer;
}

Progress do_transfer(ReplayState& state, EngineThread& thread) {
    const std::uint32_t total = num_transfers(thread.event());
    const std::uint32_t packets = num_packets(thread.event(), state.machine.arch);
    for (; thread.step < total; ++thread.step) {
        if (do_one(state, thread, packets) == Progress::Held) {
            return Progress::Held;
        }
    }
    return Progress::Finished;
}

Progress do_set_state(ReplayState& state, EngineThread& thread) {
    thread.log.spend(Activity::ReadIssue, thread.site(),
                     state.costs.risc.set_state * thread.event().count);
    return Progress::Finished;
}

Pending pending_of(EventKind barrier) {
    switch (barrier) {
        case EventKind::ReadBarrier:
            return Pending::Reads;
        case EventKind::WriteBarrier:
            return Pending::Writes;
        case EventKind::WriteFlush:
            return Pending::Flushes;
        default:
            return Pending::Atomics;
    }
}

// The cost of the polls is spent after the wait: a RISC that spins sees the counter change in its
// last poll.
Progress do_barrier(ReplayState& state, EngineThread& thread) {
    const TraceEvent& event = thread.event();
    const Pending kind = pending_of(event.kind);
    if (thread.pending.of(kind, BarrierDetail{event.detail}) > 0) {
        return hold(thread, Block::Barrier,
                    kind == Pending::Reads ? Activity::WaitNocRead : Activity::WaitNocWrite, 0);
    }
    end_wait(state, thread);
    thread.log.spend(Activity::BarrierPoll, thread.site(),
                     state.costs.risc.barrier_poll * event.count);
    return Progress::Finished;
}

}  // namespace tessera::timing
