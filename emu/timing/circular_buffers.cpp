// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/events.hpp"
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

// Levels are kept as changes and summed when the replay ends (outcome.cpp): producer and consumer
// run ahead of each other during the replay, so a running level would be out of order.
void note_level(const ReplayState& state, CbState& cb, Millicycles time, std::int64_t pages) {
    if (state.options.keeps_cb_levels) {
        cb.changes.emplace_back(time, pages);
    }
}

// Page k fits once page k − num_pages has been popped, so a wait for space is a wait for a total of
// pops. Totals need no shared level: each side counts its own pages in its own time.
bool reserve(ReplayState& state, EngineThread& thread, CbState& cb, std::uint64_t pages) {
    const std::uint64_t filled = cb.num_pushed + pages;
    const std::uint64_t popped = filled > cb.num_pages ? filled - cb.num_pages : 0;
    return await(state, thread, cb.pops, popped, Activity::WaitCbSpace, thread.event().detail);
}

// Cumulative, like the API: a second wait for 4 pages without a pop is for the same 4.
bool wait_front(ReplayState& state, EngineThread& thread, CbState& cb, std::uint64_t pages) {
    return await(state, thread, cb.pushes, cb.num_popped + pages, Activity::WaitCbData,
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
    // The other side sees a push or a pop at the end of the call. No source says which part of the
    // call precedes the store to the shared counter, nor what the call costs (risc.cb_push).
    thread.log.spend(Activity::CbCall, thread.site(), cost);
    if (event.kind == EventKind::CbPush) {
        cb.num_pushed += pages;
        note_level(state, cb, thread.log.now(), static_cast<std::int64_t>(pages));
        advance(state, thread, cb.pushes, pages);
    } else if (event.kind == EventKind::CbPop) {
        cb.num_popped += pages;
        note_level(state, cb, thread.log.now(), -static_cast<std::int64_t>(pages));
        advance(state, thread, cb.pops, pages);
    }
    return true;
}

}  // namespace

Progress do_cb_call(ReplayState& state, EngineThread& thread) {
    CbState& cb = cb_of(state, thread);
    const TraceEvent& event = thread.event();
    // Compute RISCs run ahead of their engines, whose instruction queues hide the call.
    const Millicycles cost = thread.role >= TimelineThread::Unpack
                                 ? state.costs.compute.cb_call
                                 : state.costs.risc.of_cb_call(event.kind);
    // Call by call, not as one call of `count` times the pages: the other side may resume in
    // between.
    for (; thread.step < event.count; ++thread.step) {
        if (!do_once(state, thread, cb, cost)) {
            return Progress::Held;
        }
    }
    return Progress::Finished;
}

}  // namespace tessera::timing
