// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/busy_times.hpp"

#include "emu/timing/events.hpp"
#include "emu/timing/request.hpp"

namespace tessera::timing {
namespace {

/// Sums the prices of one thread's events.
class EventPrices {
public:
    EventPrices(const Costs& costs, const ArchSpec& arch, TimelineThread role)
        : costs_(costs), arch_(arch), role_(role) {}

    void add(const TraceEvent& event) {
        const RiscCost& risc = costs_.risc;
        const Millicycles count = event.count;
        switch (event.kind) {
            case EventKind::CbReserve:
            case EventKind::CbPush:
            case EventKind::CbWait:
            case EventKind::CbPop:
                // Only the call: the wait for pages depends on other threads.
                return add(Activity::CbCall, count * (is_compute() ? costs_.compute.cb_call
                                                                   : risc.of_cb_call(event.kind)));
            case EventKind::ZoneBegin:
            case EventKind::ZoneEnd:
                return add(Activity::Zone, risc.zone_mark);
            default:
                return is_compute() ? add_compute(event) : add_data_movement(event);
        }
    }
    void add(Activity activity, Millicycles time) noexcept {
        times_[static_cast<std::size_t>(activity)] += time;
    }
    [[nodiscard]] const BusyTimes& times() const noexcept { return times_; }

private:
    // A compute kernel is three threads, which execute different calls of one trace.
    [[nodiscard]] bool is_compute() const noexcept { return role_ >= TimelineThread::Unpack; }

    void add_data_movement(const TraceEvent& event) {
        const RiscCost& risc = costs_.risc;
        const Millicycles count = event.count;
        switch (event.kind) {
            case EventKind::NocRead:
            case EventKind::NocWrite:
            case EventKind::NocMulticast:
            case EventKind::SemaphoreAdd:
            case EventKind::WordWrite:
            case EventKind::MulticastWord:
            case EventKind::MulticastAdd:
                return add_transfers(event);
            case EventKind::Instructions:
                return add(Activity::Instructions, risc.of_instructions(event));
            case EventKind::LocalWord:
                return add(Activity::SemaphoreIssue, risc.local_word);
            case EventKind::ReadBarrier:
            case EventKind::WriteBarrier:
            case EventKind::WriteFlush:
            case EventKind::AtomicBarrier:
                return add(Activity::BarrierPoll, risc.barrier_poll * count);
            case EventKind::SemaphoreWait:
                // One poll: how many follow depends on the thread that signals.
                return add(Activity::BarrierPoll, risc.semaphore_poll);
            case EventKind::NocSetState:
                return add(Activity::ReadIssue, risc.set_state * count);
            case EventKind::FabricOpen:
                return add(Activity::FabricIssue, costs_.link.open * count);
            case EventKind::FabricClose:
                return add(Activity::FabricIssue, costs_.link.close * count);
            case EventKind::FabricPacket:
                return add(Activity::FabricIssue, costs_.link.worker_issue);
            default:
                // Other events have no price of their own on a data-movement core.
                return;
        }
    }

    void add_transfers(const TraceEvent& event) {
        // A core issues each packet, and computes the address once for a transfer. The time in the
        // network is not part of the core's busy time.
        const Millicycles packets = num_packets(event, arch_);
        const Millicycles each = costs_.risc.of_address(TransferDetail{event.detail}) +
                                 packets * issue_cost(costs_.risc, event);
        add(issue_activity(event.kind), each * num_transfers(event));
    }

    void add_compute(const TraceEvent& event) {
        const Millicycles count = event.count;
        const auto argument = ComputeArgument::unpack(event.argument);
        switch (event.kind) {
            case EventKind::UnitInit:
                return add(Activity::UnitInit,
                           count * costs_.init.of(static_cast<UnitInitKind>(event.detail), role_));
            case EventKind::Sfpu:
                return add(Activity::Sfpu, count * costs_.sfpu.of(event.argument, event.detail));
            case EventKind::VectorFunction:
                return add(Activity::Sfpu, count * costs_.sfpu.of_instructions(event.argument));
            case EventKind::Pack:
            case EventKind::PackUntilize:
                return add(Activity::Pack,
                           count * costs_.pack.of(event.kind, event.detail, argument));
            case EventKind::DstAcquire:
            case EventKind::DstWait:
            case EventKind::DstCommit:
            case EventKind::DstRelease:
                return add(Activity::DstCall, count * costs_.compute.dst_call);
            default:
                return add_call(event);
        }
    }

    void add_call(const TraceEvent& event) {
        const FpuCall call = call_of(costs_, event);
        const Millicycles count = event.count;
        const bool moves_in_dst =
            event.kind == EventKind::EltwiseBinary && (event.detail & EltwiseDetail::kFromDst) != 0;
        if (moves_in_dst) {
            // Nothing is unpacked, as in a replay (do_move_in_dst).
            add(Activity::Eltwise,
                role_ == TimelineThread::Math ? count * (call.math_start + call.math_step) : 0);
        } else if (role_ == TimelineThread::Math) {
            add(call.math, count * (call.math_start + call.num_steps() * call.math_step));
        } else {
            // The first step of a round unpacks to both source registers, each other step to one.
            const Millicycles round =
                call.unpack_first + Millicycles{call.steps_per_round - 1} * call.unpack_next;
            add(call.unpack, call.unpack_run + count * call.num_rounds * round);
        }
    }

    const Costs& costs_;
    const ArchSpec& arch_;
    TimelineThread role_;
    BusyTimes times_{};
};

}  // namespace

BusyTimes busy_times(const Costs& costs, const ArchSpec& arch, const ThreadSource& thread) {
    EventPrices prices(costs, arch, thread.role);
    const LaunchCost& launch = costs.launch;
    prices.add(Activity::NotStarted, launch.latency());
    // The delay of a core is random in a replay. Half of the largest one is its mean.
    prices.add(Activity::Start, launch.start_spread() / 2 +
                                    launch.of_start(*thread.core, thread.role) + launch.of_end());
    for (const TraceEvent& event : thread.trace->events) {
        // Threads of a compute kernel share its events.
        if (is_executed_by(thread.role, event.kind)) {
            prices.add(event);
        }
    }
    return prices.times();
}

}  // namespace tessera::timing
