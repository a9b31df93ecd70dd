// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "emu/timing/event_queue.hpp"
#include "tessera/errors.hpp"

namespace tessera::timing {
namespace {

/// Returns by device whether the launch has a core there.
std::vector<bool> devices_of(const LaunchTrace& launch, std::size_t num_devices) {
    std::vector<bool> takes_part(num_devices);
    for (const CoreTrace& core : launch.cores) {
        require(core.device < num_devices, "trace: there is no device {}, the mesh has {}",
                core.device, num_devices);
        takes_part[core.device] = true;
    }
    return takes_part;
}

Millicycles earliest(const std::vector<Millicycles>& starts, const std::vector<bool>& takes_part) {
    Millicycles first = EventQueue::kNever;
    for (std::size_t device = 0; device < starts.size(); ++device) {
        first = takes_part[device] ? std::min(first, starts[device]) : first;
    }
    return first == EventQueue::kNever ? 0 : first;
}

}  // namespace

RunReplay::RunReplay(const Machine& machine, const RunReplayOptions& options)
    : machine_(machine),
      options_(options),
      cost_(machine.timing),
      queues_(machine.mesh.shape.num_devices(), DispatchQueue(machine.timing)) {
}

std::vector<Millicycles> RunReplay::starts_of(const LaunchTrace& launch,
                                              const std::vector<bool>& takes_part,
                                              std::vector<DispatchQueue>& queues) const {
    std::vector<DispatchWork> work(queues.size());
    for (const DispatchTrace& program : launch.dispatch) {
        require(program.device < work.size(), "trace: there is no device {}, the mesh has {}",
                program.device, work.size());
        work[program.device] = cost_.of(program, launch);
    }
    // One host reads back from all devices before it enqueues the programs.
    Millicycles enqueued = 0;
    for (std::size_t device = 0; device < work.size(); ++device) {
        if (work[device].needs_host) {
            enqueued = std::max(enqueued, queues[device].host_read_end());
        }
    }
    // Nothing is dispatched to a device without a core in the launch: its queue does not change.
    std::vector<Millicycles> starts(queues.size());
    for (std::size_t device = 0; device < starts.size(); ++device) {
        starts[device] = takes_part[device] ? queues[device].start_of(work[device], enqueued) : 0;
    }
    return starts;
}

RunReplay::LaunchStart RunReplay::next_start(const LaunchTrace& launch,
                                             std::vector<DispatchQueue>& queues) const {
    LaunchStart next{.takes_part = devices_of(launch, queues.size())};
    next.devices = starts_of(launch, next.takes_part, queues);
    // A launch's timeline begins with its first device, so that its makespan excludes the dispatch
    // gap. The starts of the other devices are counted from there.
    next.first = earliest(next.devices, next.takes_part);
    for (Millicycles& start : next.devices) {
        start = std::max(start - next.first, Millicycles{0});
    }
    return next;
}

std::vector<Millicycles> RunReplay::starts_of_next(const LaunchTrace& launch) const {
    std::vector<DispatchQueue> queues = queues_;
    return next_start(launch, queues).devices;
}

void RunReplay::note_ends(const LaunchStart& start, const LaunchTimeline& timeline) {
    for (std::size_t device = 0; device < start.devices.size(); ++device) {
        if (start.takes_part[device]) {
            queues_[device].ended(start.first + timeline.device_end[device]);
        }
    }
    makespan_ = std::max(makespan_, start.first + timeline.makespan);
}

LaunchTimeline RunReplay::add_known(const LaunchTrace& launch,
                                    std::span<const Millicycles> device_times) {
    const LaunchStart start = next_start(launch, queues_);
    LaunchTimeline timeline;
    timeline.name = launch.name;
    timeline.start = start.first;
    timeline.device_start = start.devices;
    timeline.device_end.resize(start.devices.size());
    for (std::size_t device = 0; device < start.devices.size(); ++device) {
        timeline.device_end[device] = start.devices[device] + device_times[device];
        timeline.makespan = std::max(timeline.makespan, timeline.device_end[device]);
    }
    note_ends(start, timeline);
    return timeline;
}

ReplayOptions RunReplay::options_of_launch() const {
    return {.keeps = options_.keeps_intervals ? Keep::Intervals : Keep::Totals,
            .keeps_cb_levels = options_.keeps_cb_levels,
            .start_seed = options_.start_seed};
}

std::vector<ReplayCache::Entry> RunReplay::replay_ahead(const Trace& trace,
                                                        const LaunchTrace& launch,
                                                        const LaunchPartition& partition,
                                                        std::span<const std::size_t> parts,
                                                        const OnPart& on_part) const {
    // A cache of its own: add() may read and replace `cache_` meanwhile.
    ReplayCache timelines;
    ReplayOptions options = options_of_launch();
    options.cache = &timelines;
    options.on_part = on_part;
    options.partition = &partition;
    timing::replay_ahead(trace, launch, machine_, options, parts);
    return std::move(timelines.entries);
}

void RunReplay::expect(std::vector<ReplayCache::Entry> timelines) {
    // The timelines of the launch before stay: the next one may have parts of both.
    cache_.entries.insert(cache_.entries.end(), std::move_iterator(timelines.begin()),
                          std::move_iterator(timelines.end()));
}

LaunchTimeline RunReplay::add(const Trace& trace, const LaunchTrace& launch,
                              const LaunchPartition* partition,
                              std::span<const Millicycles> known_times, const OnPart& on_part) {
    const LaunchStart start = next_start(launch, queues_);
    ReplayOptions options = options_of_launch();
    options.device_start = start.devices;
    options.known_times = known_times;
    options.cache = &cache_;
    options.on_part = on_part;
    options.partition = partition;
    LaunchTimeline timeline = replay(trace, launch, machine_, options);
    timeline.start = start.first;
    note_ends(start, timeline);
    return timeline;
}

RunTimeline replay_run(const Trace& trace, const Machine& machine,
                       const RunReplayOptions& options) {
    // In a mesh of another shape the devices have other neighbours, so routes of the trace would
    // lead to other devices. The arch may differ (tessera retime).
    require(trace.mesh.shape == machine.mesh.shape,
            "trace: recorded on {} × {} devices, the machine has {} × {}", trace.mesh.shape.rows,
            trace.mesh.shape.columns, machine.mesh.shape.rows, machine.mesh.shape.columns);
    RunReplay replay(machine, options);
    RunTimeline run;
    for (const LaunchTrace& launch : trace.launches) {
        run.launches.push_back(replay.add(trace, launch));
    }
    run.makespan = replay.makespan();
    return run;
}

}  // namespace tessera::timing
