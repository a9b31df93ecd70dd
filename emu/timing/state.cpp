// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/state.hpp"

#include "emu/timing/cost/millicycles.hpp"

namespace tessera::timing {

Costs::Costs(const TimingSpec& timing, const Trace& trace)
    : risc(timing),
      unpack(timing.compute),
      matmul(timing.compute),
      eltwise(timing.compute),
      pack(timing.compute),
      sfpu(timing.sfpu, trace.names),
      init(timing.compute),
      launch(timing),
      dst_call(to_millicycles(timing.compute.dst_call)) {
}

void ReplayState::wake(std::uint32_t thread) {
    EngineThread& woken = threads[thread];
    if (!woken.is_runnable) {
        woken.is_runnable = true;
        runnable.push_back(thread);
    }
}

std::uint32_t ReplayState::keep(const WaitCause& cause) {
    if (!options.keeps_intervals) {
        return kNoCause;
    }
    causes.push_back(cause);
    return static_cast<std::uint32_t>(causes.size() - 1);
}

bool ReplayState::is_due(EngineThread& thread) {
    if (thread.is_called || (queue.next_time() > thread.log.now() && runnable.empty())) {
        thread.is_called = false;
        return true;
    }
    queue.push(thread.log.now(), QueueEvent::ThreadReady, thread.index);
    return false;
}

std::uint32_t ReplayState::core_index(std::uint32_t device, CoreCoord core) const {
    const GridSize grid = machine.arch.workers.compute;
    return core_at[(device * grid.rows + core.y) * grid.columns + core.x];
}

bool take(ReplayState& state, EngineThread& thread, Handover& handover, std::uint64_t total,
          Activity activity, std::uint32_t object) {
    const Gift* gift = handover.reach(total);
    if (gift == nullptr) {
        handover.wait(total, thread.index);
        hold(thread, Block::Handover, activity, object);
        return false;
    }
    thread.block = Block::None;
    if (gift->time > thread.log.now()) {
        const std::uint32_t cause = state.keep({gift->thread, gift->site, gift->time, {}});
        thread.log.wait(activity, thread.site(), object, gift->time, cause);
    }
    return true;
}

void give(ReplayState& state, EngineThread& thread, Handover& handover, std::uint64_t number) {
    const std::uint32_t woken =
        handover.give(number, thread.log.now(), thread.index, thread.site());
    if (woken != kNoThread) {
        state.wake(woken);
    }
}

void end_wait(ReplayState& state, EngineThread& thread) {
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
