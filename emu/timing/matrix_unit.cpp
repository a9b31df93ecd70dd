// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/matrix_unit.hpp"

namespace tessera::timing {
namespace {

FpuCall call_of(const Costs& costs, const TraceEvent& event) {
    const auto argument = ComputeArgument::unpack(event.argument);
    switch (event.kind) {
        case EventKind::MatmulTiles:
        case EventKind::MatmulBlock:
            return costs.matmul.of(event.kind, argument, costs.unpack);
        case EventKind::EltwiseBinary:
            return costs.eltwise.of_binary(event.detail, argument, costs.unpack);
        default:
            return costs.eltwise.of_unary(event.kind, argument, costs.unpack);
    }
}

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

/// One step of unpack if a set is free for it.
bool fill_one(ReplayState& state, EngineThread& unpack, const FpuCall& call) {
    CoreState& core = state.cores[unpack.core];
    const bool is_first = unpack.step % call.steps_per_round == 0;
    const bool waits_for_all = call.waits_for_call_before && unpack.step % call.num_steps() == 0;
    if (core.source.num_full() >= (waits_for_all ? 1 : SourceRegisters::kSets)) {
        return false;
    }
    wait_for_source(state, unpack, core.math,
                    waits_for_all ? core.source.all_free_since() : core.source.free_since());
    const Millicycles run = unpack.step == 0 ? call.unpack_run : 0;
    unpack.log.spend(call.unpack, unpack.site(),
                     run + (is_first ? call.unpack_first : call.unpack_next));
    core.source.fill({unpack.log.now(), unpack.site()});
    ++unpack.step;
    return true;
}

/// One step of math if a set is full.
bool use_one(ReplayState& state, EngineThread& math, const FpuCall& call) {
    CoreState& core = state.cores[math.core];
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

/// While a thread is at it, the other one, if held up at the same registers, follows step by step;
/// having come to the end of its event it goes on in its turn.
template <class Step>
void follow(ReplayState& state, EngineThread& other, Step step) {
    while (other.block == Block::Source && step(state, other, other.call)) {
        if (other.step == num_steps(other)) {
            other.block = Block::None;
            state.wake(other.index);
        }
    }
}

}  // namespace

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

}  // namespace tessera::timing
