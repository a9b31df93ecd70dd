// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/replay.hpp"

#include <tbb/parallel_for.h>

#include <exception>
#include <utility>

#include "emu/timing/critical_path.hpp"
#include "emu/timing/engine.hpp"
#include "emu/timing/outcome.hpp"
#include "emu/timing/setup.hpp"

namespace tessera::timing {

ReplayState::ReplayState(const Trace& whole, const LaunchTrace& of, const LaunchPart& part_of,
                         const Machine& on, const ReplayOptions& with)
    : trace(whole),
      launch(of),
      part(part_of),
      machine(on),
      options(with),
      costs(on.timing, whole),
      transport(on, part_of.devices) {
}

LaunchTimeline replay(const Trace& trace, const LaunchTrace& launch, const Machine& machine,
                      const ReplayOptions& options) {
    const auto parts = parts_of(launch, machine.mesh.shape.num_devices());
    std::vector<LaunchTimeline> timelines(parts.size());
    std::vector<std::exception_ptr> failures(parts.size());
    // Isolated: a failure of another replay beside this one would leave parts out.
    tbb::task_group_context context(tbb::task_group_context::isolated);
    const auto replay_part = [&](std::size_t i) {
        try {
            ReplayState state(trace, launch, parts[i], machine, options);
            set_up(state);
            run(state);
            timelines[i] = to_timeline(state);
        } catch (...) {
            failures[i] = std::current_exception();
        }
    };
    tbb::parallel_for(std::size_t{0}, parts.size(), replay_part, context);
    for (const std::exception_ptr& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
    LaunchTimeline timeline = join(std::move(timelines));
    if (options.keeps_intervals) {
        timeline.critical_path = critical_path(timeline);
    }
    return timeline;
}

}  // namespace tessera::timing
