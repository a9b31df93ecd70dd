// SPDX-License-Identifier: Apache-2.0
// Holds the state of a replay: its threads, the cores they run on, and what moves between them.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emu/timing/cost/eltwise_cost.hpp"
#include "emu/timing/cost/init_cost.hpp"
#include "emu/timing/cost/launch_cost.hpp"
#include "emu/timing/cost/matmul_cost.hpp"
#include "emu/timing/cost/pack_cost.hpp"
#include "emu/timing/cost/risc_cost.hpp"
#include "emu/timing/cost/sfpu_cost.hpp"
#include "emu/timing/counter_history.hpp"
#include "emu/timing/event_queue.hpp"
#include "emu/timing/in_flight.hpp"
#include "emu/timing/mux.hpp"
#include "emu/timing/part.hpp"
#include "emu/timing/path_pruning.hpp"
#include "emu/timing/replay.hpp"
#include "emu/timing/source_registers.hpp"
#include "emu/timing/thread_log.hpp"
#include "emu/timing/transport.hpp"
#include "emu/timing/word.hpp"

namespace tessera::timing {

struct Costs {
    RiscCost risc;
    UnpackCost unpack;
    MatmulCost matmul;
    EltwiseCost eltwise;
    PackCost pack;
    SfpuCost sfpu;
    InitCost init;
    LaunchCost launch;
    Millicycles dst_call = 0;  ///< acquire, commit, wait or release that does not wait

    Costs(const TimingSpec& timing, const Trace& trace);
};

/// What holds a thread, if anything.
enum class Block : std::uint8_t { None, Counter, Source, Barrier, Slot, Semaphore, FabricSlot };

/// Outstanding transfers of one data-movement thread, by what a barrier waits for.
enum class Pending : std::uint8_t { Reads, Writes, Flushes, Atomics };

/// Counts pending transfers on each NoC, in all and by transaction id.
class PendingTransfers {
public:
    /// `id` counts only if the transfer has one.
    void add(Pending kind, TransferDetail transfer, std::uint8_t id) {
        ++count(kind, transfer.noc());
        if (transfer.has(TransferDetail::kHasId)) {
            ++count(kind, transfer.noc(), id);
        }
    }
    void remove(Pending kind, TransferDetail transfer, std::uint8_t id) {
        --count(kind, transfer.noc());
        if (transfer.has(TransferDetail::kHasId)) {
            --count(kind, transfer.noc(), id);
        }
    }
    /// Returns how many transfers a barrier waits for.
    [[nodiscard]] std::uint32_t of(Pending kind, BarrierDetail barrier) {
        return barrier.has_id() ? count(kind, barrier.noc(), barrier.id())
                                : count(kind, barrier.noc());
    }

private:
    static constexpr std::size_t kIds = 64;

    std::uint32_t& count(Pending kind, std::uint32_t noc) noexcept {
        return all_[static_cast<std::size_t>(kind)][noc];
    }
    std::uint32_t& count(Pending kind, std::uint32_t noc, std::uint32_t id) {
        by_id_.resize(4 * 2 * kIds);
        return by_id_[(static_cast<std::size_t>(kind) * 2 + noc) * kIds + id % kIds];
    }

    std::array<std::array<std::uint32_t, 2>, 4> all_{};
    std::vector<std::uint32_t> by_id_;
};

struct OpenZone {
    std::uint32_t name = 0;
    Millicycles begin = 0;
};

/// A thread of the timeline, which goes through the events of a kernel thread.
struct EngineThread {
    const ThreadTrace* trace = nullptr;
    std::uint32_t index = 0;
    std::uint32_t core = 0;
    TimelineThread role{};
    ThreadLog log;

    std::uint32_t next = 0;      ///< event
    std::uint32_t step = 0;      ///< of the event's run
    bool is_issued = false;      ///< the step's command is paid for
    bool is_started = false;     ///< the step's transfer is the transport's
    bool is_runnable = false;    ///< listed in ReplayState::runnable
    bool is_dispatched = false;  ///< the queue has come to its time: it may use shared resources
    bool is_finished = false;

    Block block = Block::None;
    Activity blocked_on{};             ///< the wait that the block is
    std::uint32_t blocked_object = 0;  ///< its object
    Millicycles woken_at = 0;
    std::uint32_t woken_object = 0;
    WaitCause woken_by;

    PendingTransfers pending;
    std::uint32_t num_queued_writes = 0;  ///< packets

    FpuCall call;  ///< of the event that `call_event` points to
    const TraceEvent* call_event = nullptr;
    std::uint64_t num_dst = 0;  ///< halves of DST acquired or waited for

    std::vector<OpenZone> zones;
    std::vector<MuxClient> mux_clients;

    [[nodiscard]] const TraceEvent& event() const { return trace->events[next]; }
    [[nodiscard]] std::uint16_t site() const { return event().site; }
};

struct CbState {
    std::uint32_t num_pages = 0;
    CounterHistory pushes;
    CounterHistory pops;
    std::uint64_t num_pushed = 0;  ///< by the producer, in its own time
    std::uint64_t num_popped = 0;  ///< by the consumer
    std::vector<std::pair<Millicycles, std::int64_t>> changes;  ///< only if levels are kept
};

struct CoreState {
    const CoreTrace* trace = nullptr;
    std::vector<CbState> cbs;                               ///< as CoreTrace::cbs
    std::array<std::uint8_t, 64> cb_at{};                   ///< place in `cbs` by CB index
    std::array<std::vector<std::uint32_t>, 2> niu_waiters;  ///< threads, by NoC
    SourceRegisters source;
    CounterHistory commits;
    CounterHistory releases;
    std::uint64_t num_halves = 2;  ///< of DST
    std::uint32_t unpack = kNoThread;
    std::uint32_t math = kNoThread;
};

/// Packets of a sender to a mesh link.
struct SenderState {
    std::uint32_t num_packets = 0;
    std::vector<std::uint32_t> waiters;
};

/// How far a thread came with its event.
enum class Progress : std::uint8_t { Finished, Held };

struct ReplayState {
    const Trace& trace;
    const LaunchTrace& launch;
    LaunchPart part;
    const Machine& machine;
    const ReplayOptions& options;
    Costs costs;
    Transport transport;
    EventQueue queue;
    Millicycles now = 0;  ///< of the queue
    std::vector<EngineThread> threads;
    std::vector<CoreState> cores;
    std::vector<std::uint32_t> core_at;  ///< by (device, y, x); kNoThread: no kernel there
    std::vector<std::uint32_t> runnable;
    std::unordered_map<std::uint64_t, Word> words;  ///< by core and address
    std::vector<InFlight> in_flight;                ///< by TransferId
    std::vector<SenderState> senders;               ///< by device and channel
    std::vector<MuxState> muxes;
    std::vector<WaitCause> causes;
    PruningSchedule pruning;  ///< of a critical path alone
    std::vector<ZoneSpan> zones;

    ReplayState(const Trace& trace, const LaunchTrace& launch, const LaunchPart& part,
                const Machine& machine, const ReplayOptions& options);

    /// Returns what the engine knows of a transfer under way.
    [[nodiscard]] InFlight& in_flight_of(TransferId id) noexcept { return in_flight[index_of(id)]; }
    [[nodiscard]] const InFlight& in_flight_of(TransferId id) const noexcept {
        return in_flight[index_of(id)];
    }
    /// Makes a thread runnable.
    void wake(std::uint32_t thread);
    /// Returns the index of a cause for an interval; kNoCause if intervals are not kept.
    std::uint32_t keep(const WaitCause& cause);
    /// Returns whether all that happens up to the thread's time has been replayed, so that it may
    /// use what others use too; else puts the thread into the queue for that time. Of one moment,
    /// what the queue holds already comes first, whatever other devices do: so devices replayed
    /// side by side or together give the same timelines.
    [[nodiscard]] bool is_due(EngineThread& thread);
    /// Returns the index into `cores`; kNoThread if no kernel runs there.
    [[nodiscard]] std::uint32_t core_index(std::uint32_t device, CoreCoord core) const;
};

inline void ReplayState::wake(std::uint32_t thread) {
    EngineThread& woken = threads[thread];
    if (!woken.is_runnable) {
        woken.is_runnable = true;
        runnable.push_back(thread);
    }
}

inline std::uint32_t ReplayState::keep(const WaitCause& cause) {
    if (options.keeps == Keep::Totals) {
        return kNoCause;
    }
    causes.push_back(cause);
    return static_cast<std::uint32_t>(causes.size() - 1);
}

inline bool ReplayState::is_due(EngineThread& thread) {
    if (thread.is_dispatched || (queue.next_time() > thread.log.now() && runnable.empty())) {
        thread.is_dispatched = false;
        return true;
    }
    queue.push(thread.log.now(), QueueEvent::ThreadReady, thread.index);
    return false;
}

/// Holds `thread` until it is woken.
inline Progress hold(EngineThread& thread, Block block, Activity activity, std::uint32_t object) {
    thread.block = block;
    thread.blocked_on = activity;
    thread.blocked_object = object;
    return Progress::Held;
}

/// Waits until `counter` has come to `total`; false if that is not known yet and the thread held.
inline bool await(ReplayState& state, EngineThread& thread, CounterHistory& counter,
                  std::uint64_t total, Activity activity, std::uint32_t object) {
    const CounterStep* step = counter.step_reaching(total);
    if (step == nullptr) {
        counter.wait(total, thread.index);
        hold(thread, Block::Counter, activity, object);
        return false;
    }
    thread.block = Block::None;
    if (step->time > thread.log.now()) {
        const std::uint32_t cause = state.keep({step->thread, step->site, step->time, {}});
        thread.log.wait(activity, thread.site(), object, step->time, cause);
    }
    return true;
}

/// Raises a counter at the thread's time and wakes the thread that waits for it.
inline void advance(ReplayState& state, EngineThread& thread, CounterHistory& counter,
                    std::uint64_t count) {
    const std::uint32_t woken =
        counter.advance(count, thread.log.now(), thread.index, thread.site());
    if (woken != kNoThread) {
        state.wake(woken);
    }
}

/// Logs the wait of a thread that was woken.
inline void end_wait(ReplayState& state, EngineThread& thread) {
    if (thread.block == Block::None) {
        return;
    }
    thread.block = Block::None;
    if (thread.woken_at > thread.log.now()) {
        thread.log.wait(thread.blocked_on, thread.site(), thread.woken_object, thread.woken_at,
                        state.keep(thread.woken_by));
    }
}

}  // namespace tessera::timing
