// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "emu/timing/engine.hpp"
#include "tessera/errors.hpp"

namespace tessera::timing {
namespace {

Millicycles last_end(const ReplayState& state) {
    Millicycles end = 0;
    for (const EngineThread& thread : state.threads) {
        end = std::max(end, thread.log.now());
    }
    return end;
}

ThreadTimeline close(const ReplayState& state, EngineThread& thread, Millicycles makespan) {
    const CoreTrace& core = *state.cores[thread.core].trace;
    thread.log.spend(Activity::Finished, 0, makespan - thread.log.now());
    ThreadTimeline timeline;
    timeline.device = core.device;
    timeline.core = core.core;
    timeline.thread = thread.role;
    timeline.kernel = thread.trace->kernel;
    timeline.sites = thread.trace->sites;
    timeline.totals = thread.log.totals();
    timeline.intervals = thread.log.take_intervals();
    const Millicycles sum =
        std::accumulate(timeline.totals.begin(), timeline.totals.end(), Millicycles{0});
    // For every thread, busy time, waits, NotStarted and Finished add up to the makespan exactly.
    ensure(sum == makespan, "the intervals of thread {} add up to {} of {} millicycles",
           thread.index, sum, makespan);
    return timeline;
}

void add_device_ends(const ReplayState& state, LaunchTimeline& timeline) {
    timeline.device_end.assign(state.machine.mesh.shape.num_devices(), 0);
    for (const EngineThread& thread : state.threads) {
        Millicycles& end = timeline.device_end[state.cores[thread.core].trace->device];
        end = std::max(end, thread.log.now());
    }
}

// Sorted here, because producer and consumer were replayed independently. The sort is stable, so
// that changes at the same time keep their order; only the last level of a time is drawn.
CbLevel to_level(const CbState& cb, std::uint32_t core, std::uint8_t index) {
    auto changes = cb.changes;
    std::ranges::stable_sort(changes, {}, &std::pair<Millicycles, std::int64_t>::first);
    CbLevel level{core, index, {}};
    std::int64_t pages = 0;
    for (const auto& [time, change] : changes) {
        pages += change;
        if (!level.pages.empty() && level.pages.back().first == time) {
            level.pages.pop_back();
        }
        level.pages.emplace_back(time, static_cast<std::uint32_t>(pages));
    }
    return level;
}

void add_cb_levels(const ReplayState& state, LaunchTimeline& timeline) {
    for (std::size_t core = 0; core < state.cores.size(); ++core) {
        for (std::size_t cb = 0; cb < state.cores[core].cbs.size(); ++cb) {
            timeline.cb_levels.push_back(to_level(state.cores[core].cbs[cb],
                                                  static_cast<std::uint32_t>(core),
                                                  state.cores[core].trace->cbs[cb].index));
        }
    }
}

/// Returns the number of events replayed; an event with a count counts once.
std::uint64_t count_events(std::span<const CoreTrace> cores) {
    std::uint64_t count = 0;
    for (const CoreTrace& core : cores) {
        for (const ThreadTrace& thread : core.threads) {
            count += thread.events.size();
        }
    }
    return count;
}

}  // namespace

LaunchTimeline to_timeline(ReplayState& state) {
    LaunchTimeline timeline;
    timeline.name = state.launch.name;
    timeline.makespan = last_end(state);
    timeline.num_events = count_events(state.part.cores);
    add_device_ends(state, timeline);
    for (EngineThread& thread : state.threads) {
        timeline.threads.push_back(close(state, thread, timeline.makespan));
    }
    timeline.causes = std::move(state.causes);
    timeline.zones = std::move(state.zones);
    // Zones were stored in the order of their ends. Reports draw them from the outside in.
    std::ranges::stable_sort(timeline.zones, {}, [](const ZoneSpan& zone) {
        return std::pair(zone.thread, zone.begin);
    });
    if (state.options.keeps_cb_levels) {
        add_cb_levels(state, timeline);
    }
    timeline.resources = state.transport.uses();
    return timeline;
}

}  // namespace tessera::timing
