// SPDX-License-Identifier: Apache-2.0
// State of a replay: threads, their cores, and transfers between cores.
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
    LinkTimes link;
    ComputeTimes compute;
    UnpackCost unpack;
    MatmulCost matmul;
    EltwiseCost eltwise;
    PackCost pack;
    SfpuCost sfpu;
    InitCost init;
    LaunchCost launch;

    Costs(const TimingSpec& timing, const Trace& trace);
};

/// Reason why a thread is blocked, if it is.
enum class Block : std::uint8_t { None, Counter, Source, Barrier, Slot, Semaphore, FabricSlot };

/// Outstanding transfers of one data-movement thread, by what a barrier waits for.
enum class Pending : std::uint8_t { Reads, Writes, Flushes, Atomics };

/// Pending transfers on each NoC, in total and by transaction id.
class PendingTransfers {
public:
    /// Adds a transfer. `id` is ignored if the transfer has none.
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
    /// Returns the number of transfers that a barrier waits for.
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

/// Thread of the timeline, which replays events of a kernel thread.
struct EngineThread {
    const ThreadTrace* trace = nullptr;
    std::uint32_t index = 0;
    std::uint32_t core = 0;
    TimelineThread role{};
    ThreadLog log;

    std::uint32_t next = 0;      ///< index of the current event
    std::uint32_t step = 0;      ///< repetition of the event that is current
    bool is_issued = false;      ///< the cost of the step's command is spent
    bool is_started = false;     ///< the step's transfer is started
    bool is_runnable = false;    ///< listed in ReplayState::runnable
    bool is_dispatched = false;  ///< the queue has reached its time: it may use shared resources
    bool is_finished = false;

    Block block = Block::None;
    Activity blocked_on{};             ///< activity of the wait that the block causes
    std::uint32_t blocked_object = 0;  ///< object of that wait
    Millicycles woken_at = 0;
    std::uint32_t woken_object = 0;
    WaitCause woken_by;

    PendingTransfers pending;
    std::uint32_t num_queued_writes = 0;  ///< packets of writes that have not left the source

    FpuCall call;  ///< call of the event that `call_event` points to
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
    std::uint64_t num_pushed = 0;  ///< so far in the producer's own time
    std::uint64_t num_popped = 0;  ///< so far in the consumer's own time
    std::vector<std::pair<Millicycles, std::int64_t>>
        changes;  ///< level changes; empty if levels are not kept
};

struct CoreState {
    const CoreTrace* trace = nullptr;
    std::vector<CbState> cbs;              ///< in the order of CoreTrace::cbs
    std::array<std::uint8_t, 64> cb_at{};  ///< place in `cbs` by CB index
    std::array<std::vector<std::uint32_t>, 2>
        niu_waiters;  ///< threads that wait for a slot, by NoC
    SourceRegisters source;
    CounterHistory commits;
    CounterHistory releases;
    std::uint64_t num_halves = 2;  ///< halves of DST; 1 if it is handed over as a whole
    std::uint32_t unpack = kNoThread;
    std::uint32_t math = kNoThread;
};

/// Sender to a mesh link: packets in its buffer, and threads that wait for a slot of it.
struct SenderState {
    std::uint32_t num_packets = 0;
    std::vector<std::uint32_t> waiters;
};

/// Outcome of an attempt to replay an event.
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
    Millicycles now = 0;  ///< time of the event that is being replayed
    std::vector<EngineThread> threads;
    std::vector<CoreState> cores;
    std::vector<std::uint32_t> core_at;  ///< by (device, y, x); kNoThread: no kernel there
    std::vector<std::uint32_t> runnable;
    std::unordered_map<std::uint64_t, Word> words;  ///< by core and address
    std::vector<InFlight> in_flight;                ///< by TransferId
    std::vector<SenderState> senders;               ///< by device and channel
    std::vector<MuxState> muxes;
    std::vector<WaitCause> causes;
    PruningSchedule pruning;  ///< used with Keep::CriticalPath
    std::vector<ZoneSpan> zones;

    ReplayState(const Trace& trace, const LaunchTrace& launch, const LaunchPart& part,
                const Machine& machine, const ReplayOptions& options);

    /// Returns the engine's record of a transfer under way.
    [[nodiscard]] InFlight& in_flight_of(TransferId id) noexcept { return in_flight[index_of(id)]; }
    [[nodiscard]] const InFlight& in_flight_of(TransferId id) const noexcept {
        return in_flight[index_of(id)];
    }
    /// Adds a thread to the runnable ones.
    void wake(std::uint32_t thread);
    /// Stores the cause of an interval and returns its index; kNoCause if intervals are not kept.
    std::uint32_t keep(const WaitCause& cause);
    /// Returns whether everything up to the thread's time has been replayed, so that the thread may
    /// use shared resources. If not, schedules the thread for its time. Among events of equal time
    /// those already in the queue come first, whatever other devices do. Hence devices give the
    /// same timelines whether they are replayed separately or together.
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

/// Blocks `thread` until it is woken.
inline Progress hold(EngineThread& thread, Block block, Activity activity, std::uint32_t object) {
    thread.block = block;
    thread.blocked_on = activity;
    thread.blocked_object = object;
    return Progress::Held;
}

/// Logs the wait until `counter` reaches `total`. Returns false if that time is not known yet: then
/// the thread is blocked.
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

/// Raises a counter at the thread's time and wakes the thread that waits for it, if any.
inline void advance(ReplayState& state, EngineThread& thread, CounterHistory& counter,
                    std::uint64_t count) {
    const std::uint32_t woken =
        counter.advance(count, thread.log.now(), thread.index, thread.site());
    if (woken != kNoThread) {
        state.wake(woken);
    }
    if (counter.has_others()) {
        for (const std::uint32_t other : counter.take_others()) {
            state.wake(other);
        }
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
