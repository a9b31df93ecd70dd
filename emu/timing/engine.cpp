// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/engine.hpp"

#include <array>
#include <string>

#include "emu/timing/events.hpp"
#include "emu/timing/stalled_replay.hpp"
#include "tessera/errors.hpp"

namespace tessera::timing {
namespace {

/// Precondition   `thread` is one of a compute kernel's.
constexpr unsigned bit_of(TimelineThread thread) noexcept {
    return 1U << (static_cast<unsigned>(thread) - static_cast<unsigned>(TimelineThread::Unpack));
}

/// Returns the bits of the units that execute an event of a compute kernel. On the chip a compute
/// kernel is compiled three times, for the RISCs of unpack, math and pack, each without the calls
/// of the other two. A trace has one list of events, which each thread of the timeline filters.
/// Source   tt-metal, TRISC_UNPACK, TRISC_MATH and TRISC_PACK around the calls of tt-llk.
constexpr unsigned units_executing(EventKind kind) noexcept {
    constexpr unsigned kOnUnpack = bit_of(TimelineThread::Unpack);
    constexpr unsigned kOnMath = bit_of(TimelineThread::Math);
    constexpr unsigned kOnPack = bit_of(TimelineThread::Pack);
    switch (kind) {
        case EventKind::CbWait:
        case EventKind::CbPop:
            return kOnUnpack;
        case EventKind::CbReserve:
        case EventKind::CbPush:
        case EventKind::Pack:
        case EventKind::PackUntilize:
        case EventKind::DstWait:
        case EventKind::DstRelease:
            return kOnPack;
        case EventKind::Sfpu:
        case EventKind::VectorFunction:
        case EventKind::DstAcquire:
        case EventKind::DstCommit:
            return kOnMath;
        case EventKind::MatmulTiles:
        case EventKind::MatmulBlock:
        case EventKind::Copy:
        case EventKind::EltwiseBinary:
        case EventKind::Reduce:
        case EventKind::Transpose:
        case EventKind::Tilize:
        case EventKind::Untilize:
            return kOnUnpack | kOnMath;
        case EventKind::UnitInit:
        case EventKind::ZoneBegin:
        case EventKind::ZoneEnd:
            return kOnUnpack | kOnMath | kOnPack;
        default:
            return 0;
    }
}

// A table, because each of three threads filters every event.
constexpr auto kUnitsExecuting = [] {
    std::array<std::uint8_t, static_cast<std::size_t>(EventKind::ZoneEnd) + 1> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<std::uint8_t>(units_executing(static_cast<EventKind>(i)));
    }
    return table;
}();

bool is_compute(TimelineThread role) {
    return role >= TimelineThread::Unpack;
}

/// Replays ZoneBegin or ZoneEnd. A zone includes the cost of its end mark, not of its begin mark.
Progress do_zone(ReplayState& state, EngineThread& thread) {
    const TraceEvent& event = thread.event();
    const auto name = static_cast<std::uint32_t>(event.argument);
    thread.log.spend(Activity::Zone, thread.site(), state.costs.risc.zone_mark);
    if (event.kind == EventKind::ZoneBegin) {
        thread.zones.push_back({name, thread.log.now()});
        return Progress::Finished;
    }
    require(!thread.zones.empty() && thread.zones.back().name == name,
            "trace: zone '{}' ends at event {}, but is not the zone that began last",
            state.trace.names.at(name), thread.next);
    state.zones.push_back({thread.index, name, thread.zones.back().begin, thread.log.now()});
    thread.zones.pop_back();
    return Progress::Finished;
}

Progress do_data_movement(ReplayState& state, EngineThread& thread) {
    switch (thread.event().kind) {
        case EventKind::NocRead:
        case EventKind::NocWrite:
        case EventKind::NocMulticast:
        case EventKind::SemaphoreAdd:
        case EventKind::WordWrite:
        case EventKind::MulticastWord:
        case EventKind::MulticastAdd:
            return do_transfer(state, thread);
        case EventKind::LocalWord:
            return do_local_word(state, thread);
        case EventKind::Instructions:
            thread.log.spend(Activity::Instructions, thread.site(),
                             state.costs.risc.of_instructions(thread.event()));
            return Progress::Finished;
        case EventKind::ReadBarrier:
        case EventKind::WriteBarrier:
        case EventKind::WriteFlush:
        case EventKind::AtomicBarrier:
            return do_barrier(state, thread);
        case EventKind::SemaphoreWait:
            return do_semaphore_wait(state, thread);
        case EventKind::NocSetState:
            return do_set_state(state, thread);
        case EventKind::FabricOpen:
        case EventKind::FabricClose:
            return do_connection(state, thread);
        case EventKind::FabricSlot:
            return do_fabric_slot(state, thread);
        case EventKind::FabricPacket:
            return do_fabric_packet(state, thread);
        case EventKind::FabricAdd:
        case EventKind::FabricWord:
            return Progress::Finished;  // its packet, one event before, has carried it
        default:
            throw UsageError(
                fmt::format("trace: event {} of kind {} is none of a data-movement "
                            "kernel",
                            thread.next, static_cast<unsigned>(thread.event().kind)));
    }
}

Progress do_event(ReplayState& state, EngineThread& thread) {
    const EventKind kind = thread.event().kind;
    // Kernels of both kinds have CB calls and zones.
    if (kind <= EventKind::CbPop) {
        return do_cb_call(state, thread);
    }
    if (kind == EventKind::ZoneBegin || kind == EventKind::ZoneEnd) {
        return do_zone(state, thread);
    }
    return is_compute(thread.role) ? do_compute(state, thread) : do_data_movement(state, thread);
}

void skip_events_of_other_units(EngineThread& thread) {
    if (!is_compute(thread.role)) {
        return;
    }
    const unsigned bit = bit_of(thread.role);
    const auto& events = thread.trace->events;
    while (thread.next < events.size() &&
           (kUnitsExecuting[static_cast<std::size_t>(events[thread.next].kind)] & bit) == 0) {
        ++thread.next;
    }
}

// After kernel_main the core is busy with its firmware, which ends the launch later.
void finish(ReplayState& state, EngineThread& thread) {
    thread.log.spend(Activity::Start, 0, state.costs.launch.of_end());
    thread.is_finished = true;
}

/// Replays a thread until it is blocked or has finished. It runs ahead of the queue: CB calls,
/// compute and issue cost depend on no shared resource. Only events that use one pass through the
/// queue (ReplayState::is_due).
void run_thread(ReplayState& state, EngineThread& thread) {
    for (skip_events_of_other_units(thread); thread.next < thread.trace->events.size();
         skip_events_of_other_units(thread)) {
        if (do_event(state, thread) == Progress::Held) {
            return;
        }
        ++thread.next;
        thread.step = 0;
        thread.is_issued = false;
    }
    finish(state, thread);
}

void run_all_runnable(ReplayState& state) {
    while (!state.runnable.empty()) {
        EngineThread& thread = state.threads[state.runnable.back()];
        state.runnable.pop_back();
        thread.is_runnable = false;
        run_thread(state, thread);
    }
}

// A large launch blocks hundreds of threads for one reason, which eight show.
constexpr std::size_t kMostNamed = 8;

std::string name_at(const ReplayState& state, std::size_t index) {
    return index < state.trace.names.size() ? state.trace.names[index] : "?";
}

std::string line_of(const ReplayState& state, const EngineThread& thread) {
    const auto& sites = thread.trace->sites;
    const std::size_t site = thread.event().site;
    if (site >= sites.size()) {
        return name_at(state, thread.trace->kernel);
    }
    return fmt::format("{}:{}", name_at(state, sites[site].file), sites[site].line);
}

std::string object_of(const EngineThread& thread) {
    switch (thread.blocked_on) {
        case Activity::WaitCbData:
        case Activity::WaitCbSpace:
            return fmt::format(", CB {}", thread.blocked_object);
        case Activity::WaitSemaphore:
            return fmt::format(", word at {} for {}", thread.blocked_object, thread.event().count);
        default:
            return "";
    }
}

std::string describe_blocked(const ReplayState& state, const EngineThread& thread) {
    const CoreTrace& core = *state.cores[thread.core].trace;
    return fmt::format("device {} core ({},{}) {} {}: {}{}", core.device, core.core.x, core.core.y,
                       name_of(thread.role), line_of(state, thread), name_of(thread.blocked_on),
                       object_of(thread));
}

Where place_of(const ReplayState& state, const EngineThread& thread, std::size_t site) {
    const CoreTrace& core = *state.cores[thread.core].trace;
    const TraceSite line = thread.trace->sites.at(site);
    return {.device = core.device,
            .core = core.core,
            .processor = thread.trace->processor,
            .kernel = name_at(state, thread.trace->kernel),
            .file = name_at(state, line.file),
            .line = line.line};
}

// On the host the additions came after the store, so the kernels ended. A chip would hang.
void require_no_erased_additions(const ReplayState& state, const EngineThread& thread) {
    if (thread.blocked_on != Activity::WaitSemaphore) {
        return;
    }
    const auto found = state.words.find(std::uint64_t{thread.core} << 32U | thread.blocked_object);
    if (found == state.words.end() || found->second.erased().count == 0 ||
        found->second.erased().thread >= state.threads.size()) {
        return;
    }
    const ErasedAdditions& erased = found->second.erased();
    const std::uint32_t value = found->second.value();
    const std::uint32_t wanted = thread.event().count;
    if (value + erased.count < wanted) {
        return;
    }
    throw KernelError(
        FaultCategory::Deadlock, place_of(state, state.threads[erased.thread], erased.site),
        fmt::format("this store of {} to the semaphore at {:#x} erases {} that other cores have "
                    "added to it at the predicted times; {} then waits for {} and finds {}. On the "
                    "host they came after the store. Store before the signal that lets other cores "
                    "add, or let the semaphore grow and wait for the sum",
                    erased.stored, thread.blocked_object, erased.count, line_of(state, thread),
                    wanted, value));
}

void require_all_finished(const ReplayState& state) {
    std::string named;
    std::size_t count = 0;
    for (const EngineThread& thread : state.threads) {
        if (!thread.is_finished && ++count <= kMostNamed) {
            named += "\n  " + describe_blocked(state, thread);
        }
    }
    if (count > kMostNamed) {
        named += fmt::format("\n  and {} more", count - kMostNamed);
    }
    for (const EngineThread& thread : state.threads) {
        if (!thread.is_finished) {
            require_no_erased_additions(state, thread);
        }
    }
    if (count > 0) {
        throw StalledReplay(fmt::format(
            "the trace of launch '{}' cannot be replayed, {} threads wait for ever:{}\n "
            "(please report this)",
            state.launch.name, count, named));
    }
}

}  // namespace

bool is_executed_by(TimelineThread role, EventKind kind) noexcept {
    return !is_compute(role) ||
           (kUnitsExecuting[static_cast<std::size_t>(kind)] & bit_of(role)) != 0;
}

void run(ReplayState& state) {
    run_all_runnable(state);
    while (!state.queue.empty()) {
        const EventQueue::Entry entry = state.queue.pop();
        state.now = entry.time;
        if (entry.event == QueueEvent::TransferStage) {
            const TransferId id{entry.subject};
            const StageResult result = state.transport.advance(id, state.now, state.queue);
            if (result.milestone != Milestone::None) {
                apply_milestone(state, id, result);
            }
        } else if (entry.event == QueueEvent::MuxReady) {
            advance_mux(state, entry.subject);
        } else {
            state.threads[entry.subject].is_dispatched = true;
            run_thread(state, state.threads[entry.subject]);
        }
        // Woken threads run before the next event, because they may schedule an earlier one.
        run_all_runnable(state);
        // Else causes and intervals of a large product would take more memory than its trace
        // (path_pruning.hpp).
        if (state.causes.size() >= state.pruning.limit) [[unlikely]] {
            prune_paths(state);
        }
    }
    require_all_finished(state);
}

}  // namespace tessera::timing
