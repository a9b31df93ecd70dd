// SPDX-License-Identifier: Apache-2.0
// Replay of a compute kernel's events on unpack, math and pack. As on the chip, the source
// registers couple unpack and math, and the two halves of DST couple math and pack.
#include "emu/timing/events.hpp"

namespace tessera::timing {
namespace {

/// Replays DstAcquire, by which math gets a half of DST, or DstWait, by which pack waits for one
/// that math has committed. Half n is free once half n − num_halves has been released.
Progress take_half(ReplayState& state, EngineThread& thread) {
    CoreState& core = state.cores[thread.core];
    const TraceEvent& event = thread.event();
    const bool is_math = event.kind == EventKind::DstAcquire;
    for (; thread.step < event.count; ++thread.step) {
        const std::uint64_t number = thread.num_dst + 1;
        const std::uint64_t released = number > core.num_halves ? number - core.num_halves : 0;
        if (!await(state, thread, is_math ? core.releases : core.commits,
                   is_math ? released : number, Activity::WaitDst, 0)) {
            return Progress::Held;
        }
        ++thread.num_dst;
        thread.log.spend(Activity::DstCall, thread.site(), state.costs.compute.dst_call);
    }
    return Progress::Finished;
}

/// Replays DstCommit of math or DstRelease of pack.
Progress give_half(ReplayState& state, EngineThread& thread) {
    CoreState& core = state.cores[thread.core];
    const TraceEvent& event = thread.event();
    CounterHistory& counter = event.kind == EventKind::DstCommit ? core.commits : core.releases;
    for (std::uint32_t i = 0; i < event.count; ++i) {
        thread.log.spend(Activity::DstCall, thread.site(), state.costs.compute.dst_call);
        advance(state, thread, counter, 1);
    }
    return Progress::Finished;
}

Progress spend_all(EngineThread& thread, Activity activity, Millicycles each) {
    thread.log.spend(activity, thread.site(), each * thread.event().count);
    return Progress::Finished;
}

Progress do_pack(ReplayState& state, EngineThread& thread) {
    const TraceEvent& event = thread.event();
    const auto argument = ComputeArgument::unpack(event.argument);
    return spend_all(thread, Activity::Pack,
                     state.costs.pack.of(event.kind, event.detail, argument));
}

// Both operands are in DST: nothing is unpacked, so unpack does not wait, and math alone has the
// cost of moving an operand to a source register.
Progress do_move_in_dst(ReplayState& state, EngineThread& thread) {
    if (thread.role != TimelineThread::Math) {
        return Progress::Finished;
    }
    const TraceEvent& event = thread.event();
    const auto argument = ComputeArgument::unpack(event.argument);
    const FpuCall call = state.costs.eltwise.of_binary(event.detail, argument, state.costs.unpack);
    return spend_all(thread, Activity::Eltwise, call.math_start + call.math_step);
}

// Caches the last call: an inner loop of products repeats one call for a whole block.
const FpuCall& current_call(const ReplayState& state, EngineThread& thread) {
    const TraceEvent& event = thread.event();
    const bool is_same = thread.call_event != nullptr && thread.call_event->kind == event.kind &&
                         thread.call_event->detail == event.detail &&
                         thread.call_event->argument == event.argument;
    if (!is_same) {
        thread.call = call_of(state.costs, event);
    }
    thread.call_event = &event;
    return thread.call;
}

void wait_for_source(ReplayState& state, EngineThread& thread, std::uint32_t other,
                     SourceRegisters::Mark mark) {
    if (mark.time > thread.log.now()) {
        const std::uint32_t cause = state.keep({other, mark.site, mark.time, {}});
        thread.log.wait(Activity::WaitSource, thread.site(), 0, mark.time, cause);
    }
}

/// Replays one step of unpack if a set of source registers is free. On Wormhole a call of
/// matmul_tiles waits until both sets are empty (`waits_for_call_before`): in tt-sim loops of it
/// take the sum of unpacking and phases, not the longer of the two
/// (compute.matmul_tiles_in_source).
bool fill_one(ReplayState& state, EngineThread& unpack, const FpuCall& call) {
    CoreState& core = state.cores[unpack.core];
    const bool is_first = unpack.step % call.steps_per_round == 0;
    const bool waits_for_all = call.waits_for_call_before && unpack.step % call.num_steps() == 0;
    if (core.source.num_full() >= (waits_for_all ? 1 : SourceRegisters::kSets)) {
        return false;
    }
    wait_for_source(state, unpack, core.math,
                    waits_for_all ? core.source.all_free_since() : core.source.free_since());
    // Once for a series of equal calls: 40 cycles for subblocks of one tile, fitted to
    // matmul_height_sharded.csv (compute.unpack_run).
    const Millicycles run = unpack.step == 0 ? call.unpack_run : 0;
    unpack.log.spend(call.unpack, unpack.site(),
                     run + (is_first ? call.unpack_first : call.unpack_next));
    core.source.fill({unpack.log.now(), unpack.site()});
    ++unpack.step;
    return true;
}

/// Replays one step of math if a set is full.
bool use_one(ReplayState& state, EngineThread& math, const FpuCall& call) {
    CoreState& core = state.cores[math.core];
    // The start of the call is spent before its operands are unpacked: instructions of math are
    // issued while unpack works, and stall at the first one that needs SrcA and SrcB.
    if (!math.is_issued && math.step % call.num_steps() == 0) {
        math.log.spend(call.math, math.site(), call.math_start);
        math.is_issued = true;
    }
    if (core.source.num_full() == 0) {
        return false;
    }
    wait_for_source(state, math, core.unpack, core.source.full_since());
    math.log.spend(call.math, math.site(), call.math_step);
    math.is_issued = false;
    core.source.use({math.log.now(), math.site()});
    ++math.step;
    return true;
}

std::uint32_t num_steps(const EngineThread& thread) {
    return thread.event().count * thread.call.num_steps();
}

/// Replays the other thread in step with this one, if it is blocked at the same registers. With two
/// sets of registers, waking the two threads alternately would take one switch for every tile.
template <class Step>
void follow(ReplayState& state, EngineThread& other, Step step) {
    while (other.block == Block::Source && step(state, other, other.call)) {
        if (other.step == num_steps(other)) {
            other.block = Block::None;
            state.wake(other.index);
        }
    }
}

/// Replays unpack's part of a series of calls of the matrix unit.
Progress fill_source(ReplayState& state, EngineThread& unpack) {
    const FpuCall& call = current_call(state, unpack);
    EngineThread& math = state.threads[state.cores[unpack.core].math];
    unpack.block = Block::None;
    while (unpack.step < num_steps(unpack)) {
        if (!fill_one(state, unpack, call)) {
            return hold(unpack, Block::Source, Activity::WaitSource, 0);
        }
        follow(state, math, use_one);
    }
    return Progress::Finished;
}

/// Replays math's part of a series of calls of the matrix unit.
Progress use_source(ReplayState& state, EngineThread& math) {
    const FpuCall& call = current_call(state, math);
    EngineThread& unpack = state.threads[state.cores[math.core].unpack];
    math.block = Block::None;
    while (math.step < num_steps(math)) {
        if (!use_one(state, math, call)) {
            return hold(math, Block::Source, Activity::WaitSource, 0);
        }
        follow(state, unpack, fill_one);
    }
    return Progress::Finished;
}

}  // namespace

FpuCall call_of(const Costs& costs, const TraceEvent& event) {
    const auto argument = ComputeArgument::unpack(event.argument);
    switch (event.kind) {
        case EventKind::MatmulTiles:
        case EventKind::MatmulBlock:
            return costs.matmul.of(event.kind, argument, costs.unpack);
        case EventKind::EltwiseBinary:
            return costs.eltwise.of_binary(event.detail, argument, costs.unpack);
        default:
            return costs.eltwise.of_unary(event.kind, event.detail, argument, costs.unpack);
    }
}

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
        case EventKind::VectorFunction:
            return spend_all(thread, Activity::Sfpu,
                             state.costs.sfpu.of_instructions(event.argument));
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
