// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/engine.hpp"

#include "emu/timing/blocked.hpp"
#include "emu/timing/circular_buffers.hpp"
#include "emu/timing/completion.hpp"
#include "emu/timing/compute_units.hpp"
#include "emu/timing/concerns.hpp"
#include "emu/timing/data_movement.hpp"
#include "emu/timing/zones.hpp"

namespace tessera::timing {
namespace {

bool is_cb_call(EventKind kind) {
    return kind <= EventKind::CbPop;
}

bool is_zone(EventKind kind) {
    return kind == EventKind::ZoneBegin || kind == EventKind::ZoneEnd;
}

bool is_compute(TimelineThread role) {
    return role >= TimelineThread::Unpack;
}

Progress do_event(ReplayState& state, EngineThread& thread) {
    const EventKind kind = thread.event().kind;
    if (is_cb_call(kind)) {
        return do_cb_call(state, thread);
    }
    if (is_zone(kind)) {
        return do_zone(state, thread);
    }
    return is_compute(thread.role) ? do_compute(state, thread) : do_data_movement(state, thread);
}

/// The next event that concerns the thread.
void skip(EngineThread& thread) {
    if (!is_compute(thread.role)) {
        return;
    }
    const unsigned bit = bit_of(thread.role);
    const auto& events = thread.trace->events;
    while (thread.next < events.size() &&
           (kThreadsOf[static_cast<std::size_t>(events[thread.next].kind)] & bit) == 0) {
        ++thread.next;
    }
}

void finish(ReplayState& state, EngineThread& thread) {
    thread.log.spend(Activity::Start, 0, state.costs.launch.of_end());
    thread.is_finished = true;
}

/// Runs a thread until it is held up or has finished.
void go_on(ReplayState& state, EngineThread& thread) {
    for (skip(thread); thread.next < thread.trace->events.size(); skip(thread)) {
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
        go_on(state, thread);
    }
}

}  // namespace

void run(ReplayState& state) {
    run_all_runnable(state);
    while (!state.queue.empty()) {
        const EventQueue::Entry entry = state.queue.pop();
        state.now = entry.time;
        if (entry.event == QueueEvent::TransferStage) {
            advance_transfer(state, entry.subject);
        } else {
            state.threads[entry.subject].is_called = true;
            go_on(state, state.threads[entry.subject]);
        }
        run_all_runnable(state);
    }
    require_all_finished(state);
}

}  // namespace tessera::timing
