// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/compute_units.hpp"

#include "emu/timing/matrix_unit.hpp"

namespace tessera::timing {
namespace {

/// Math takes a half of DST, pack a half that math has committed.
Progress take_half(ReplayState& state, EngineThread& thread) {
    CoreState& core = state.cores[thread.core];
    const TraceEvent& event = thread.event();
    const bool is_math = event.kind == EventKind::DstAcquire;
    for (; thread.step < event.count; ++thread.step) {
        const std::uint64_t number = thread.num_dst + 1;
        const std::uint64_t released = number > core.num_halves ? number - core.num_halves : 0;
        if (!take(state, thread, is_math ? core.releases : core.commits,
                  is_math ? released : number, Activity::WaitDst, 0)) {
            return Progress::Held;
        }
        ++thread.num_dst;
        thread.log.spend(Activity::DstCall, thread.site(), state.costs.dst_call);
    }
    return Progress::Finished;
}

/// Math commits its half, or pack releases it.
Progress give_half(ReplayState& state, EngineThread& thread) {
    CoreState& core = state.cores[thread.core];
    const TraceEvent& event = thread.event();
    Handover& handover = event.kind == EventKind::DstCommit ? core.commits : core.releases;
    for (std::uint32_t i = 0; i < event.count; ++i) {
        thread.log.spend(Activity::DstCall, thread.site(), state.costs.dst_call);
        give(state, thread, handover, 1);
    }
    return Progress::Finished;
}

Progress spend_all(EngineThread& thread, Activity activity, Millicycles each) {
    thread.log.spend(activity, thread.site(), each * thread.event().count);
    return Progress::Finished;
}

Progress do_pack(ReplayState& state, EngineThread& thread) {
    const TraceEvent& event = thread.event();
    const DataFormat out = ComputeArgument::unpack(event.argument).out;
    return spend_all(thread, Activity::Pack, state.costs.pack.of(event.kind, event.detail, out));
}

/// Math alone moves what DST holds.
Progress do_move_in_dst(ReplayState& state, EngineThread& thread) {
    if (thread.role != TimelineThread::Math) {
        return Progress::Finished;
    }
    const TraceEvent& event = thread.event();
    const auto argument = ComputeArgument::unpack(event.argument);
    const FpuCall call = state.costs.eltwise.of_binary(event.detail, argument, state.costs.unpack);
    return spend_all(thread, Activity::Eltwise, call.math_start + call.math_step);
}

}  // namespace

Progress do_compute(ReplayState& state, EngineThread& thread) {
    const TraceEvent& event = thread.event();
    if (event.kind == EventKind::EltwiseBinary && (event.detail & EltwiseDetail::kFromDst) != 0) {
        return do_move_in_dst(state, thread);
    }
    switch (event.kind) {
        case EventKind::UnitInit:
            return spend_all(
                thread, Activity::UnitInit,
                state.costs.init.of(static_cast<UnitInitKind>(event.detail), thread.role));
        case EventKind::Sfpu:
            return spend_all(thread, Activity::Sfpu,
                             state.costs.sfpu.of(event.argument, event.detail));
        case EventKind::Pack:
        case EventKind::PackUntilize:
            return do_pack(state, thread);
        case EventKind::DstAcquire:
        case EventKind::DstWait:
            return take_half(state, thread);
        case EventKind::DstCommit:
        case EventKind::DstRelease:
            return give_half(state, thread);
        default:
            return thread.role == TimelineThread::Unpack ? fill_source(state, thread)
                                                         : use_source(state, thread);
    }
}

}  // namespace tessera::timing
