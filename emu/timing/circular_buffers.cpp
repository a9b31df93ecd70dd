// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/circular_buffers.hpp"

#include "tessera/errors.hpp"

namespace tessera::timing {
namespace {

CbState& cb_of(ReplayState& state, const EngineThread& thread) {
    CoreState& core = state.cores[thread.core];
    const std::uint8_t index = thread.event().detail;
    const std::size_t place = index < core.cb_at.size() ? core.cb_at[index] : core.cbs.size();
    require(place < core.cbs.size(),
            "trace: core ({},{}) of device {} uses CB {}, which it has not", core.trace->core.x,
            core.trace->core.y, core.trace->device, index);
    return core.cbs[place];
}

void note_level(const ReplayState& state, CbState& cb, Millicycles time, std::int64_t pages) {
    if (state.options.keeps_cb_levels) {
        cb.changes.emplace_back(time, pages);
    }
}

bool reserve(ReplayState& state, EngineThread& thread, CbState& cb, std::uint64_t pages) {
    const std::uint64_t filled = cb.num_pushed + pages;
    const std::uint64_t popped = filled > cb.num_pages ? filled - cb.num_pages : 0;
    return take(state, thread, cb.pops, popped, Activity::WaitCbSpace, thread.event().detail);
}

bool wait_front(ReplayState& state, EngineThread& thread, CbState& cb, std::uint64_t pages) {
    return take(state, thread, cb.pushes, cb.num_popped + pages, Activity::WaitCbData,
                thread.event().detail);
}

bool do_once(ReplayState& state, EngineThread& thread, CbState& cb, Millicycles cost) {
    const TraceEvent& event = thread.event();
    const std::uint64_t pages = event.argument;
    if (event.kind == EventKind::CbReserve && !reserve(state, thread, cb, pages)) {
        return false;
    }
    if (event.kind == EventKind::CbWait && !wait_front(state, thread, cb, pages)) {
        return false;
    }
    thread.log.spend(Activity::CbCall, thread.site(), cost);
    if (event.kind == EventKind::CbPush) {
        cb.num_pushed += pages;
        note_level(state, cb, thread.log.now(), static_cast<std::int64_t>(pages));
        give(state, thread, cb.pushes, pages);
    } else if (event.kind == EventKind::CbPop) {
        cb.num_popped += pages;
        note_level(state, cb, thread.log.now(), -static_cast<std::int64_t>(pages));
        give(state, thread, cb.pops, pages);
    }
    return true;
}

}  // namespace

Progress do_cb_call(ReplayState& state, EngineThread& thread) {
    CbState& cb = cb_of(state, thread);
    const TraceEvent& event = thread.event();
    const Millicycles cost = state.costs.risc.of_cb_call(event.kind, thread.role);
    for (; thread.step < event.count; ++thread.step) {
        if (!do_once(state, thread, cb, cost)) {
            return Progress::Held;
        }
    }
    return Progress::Finished;
}

}  // namespace tessera::timing
