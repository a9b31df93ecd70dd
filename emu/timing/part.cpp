// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/part.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "emu/timing/path_pruning.hpp"

namespace tessera::timing {
namespace {

// Skips compute kernels: they have no fabric calls, and the longest lists of events.
bool uses_fabric(const CoreTrace& core) {
    return std::ranges::any_of(core.threads, [](const ThreadTrace& thread) {
        return thread.processor != Processor::Compute &&
               std::ranges::any_of(thread.events, [](const TraceEvent& event) {
                   return event.kind >= EventKind::FabricOpen &&
                          event.kind <= EventKind::FabricWord;
               });
    });
}

/// Extends a thread of a part that ended at `end` up to the launch's makespan, so that its times
/// add up to the makespan in the joined timeline as well.
void extend(ThreadTimeline& thread, Millicycles end, Millicycles makespan, bool has_intervals) {
    if (end == makespan) {
        return;
    }
    thread.totals[static_cast<std::size_t>(Activity::Finished)] += makespan - end;
    if (!has_intervals) {
        return;
    }
    if (!thread.intervals.empty() && thread.intervals.back().activity == Activity::Finished) {
        thread.intervals.back().end = makespan;
    } else {
        thread.intervals.push_back({makespan, kNoCause, 0, 0, Activity::Finished});
    }
}

/// Adds to the numbers of a part's threads, causes and cores those of the parts before it.
void renumber(LaunchTimeline& part, const LaunchTimeline& whole, std::uint32_t cores) {
    const auto threads = static_cast<std::uint32_t>(whole.threads.size());
    const auto causes = static_cast<std::uint32_t>(whole.causes.size());
    for (ThreadTimeline& thread : part.threads) {
        for (Interval& interval : thread.intervals) {
            interval.cause += interval.cause >= kPruned ? 0 : causes;
        }
    }
    for (WaitCause& cause : part.causes) {
        cause.thread += threads;
    }
    for (ZoneSpan& zone : part.zones) {
        zone.thread += threads;
    }
    for (CbLevel& level : part.cb_levels) {
        level.core += cores;
    }
    for (PathStep& step : part.critical_path) {
        step.thread += threads;
    }
}

template <class Element>
void append(std::vector<Element>& all, std::vector<Element>&& more) {
    if (all.capacity() == 0) {
        all = std::move(more);
        return;
    }
    all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
    more = std::vector<Element>();  // {} would keep the memory
}

void append(LaunchTimeline& whole, LaunchTimeline&& part) {
    append(whole.threads, std::move(part.threads));
    append(whole.causes, std::move(part.causes));
    append(whole.zones, std::move(part.zones));
    append(whole.cb_levels, std::move(part.cb_levels));
    append(whole.resources, std::move(part.resources));
    whole.device_end.resize(part.device_end.size());
    for (std::size_t device = 0; device < part.device_end.size(); ++device) {
        whole.device_end[device] = std::max(whole.device_end[device], part.device_end[device]);
    }
    whole.num_events += part.num_events;
}

/// Reserves memory for all parts at once, so that joined data is not copied for each part.
void reserve(LaunchTimeline& whole, const std::vector<LaunchTimeline>& parts) {
    std::size_t threads = 0;
    std::size_t causes = 0;
    for (const LaunchTimeline& part : parts) {
        threads += part.threads.size();
        causes += part.causes.size();
    }
    whole.threads.reserve(threads);
    whole.causes.reserve(causes);
}

// Counts changes of core among the threads, which are sorted by core: a timeline has no list of
// cores.
std::uint32_t count_cores(const LaunchTimeline& part) {
    std::uint32_t count = 0;
    const ThreadTimeline* last = nullptr;
    for (const ThreadTimeline& thread : part.threads) {
        count += last == nullptr || last->core != thread.core || last->device != thread.device;
        last = &thread;
    }
    return count;
}

}  // namespace

std::vector<LaunchPart> parts_of(const LaunchTrace& launch, std::uint32_t num_devices) {
    // Falls back to one part in two cases: the cores of a device are not consecutive, as a part is
    // a span of cores; or a device is outside of the mesh, which set_up() reports (setup.cpp).
    const auto is_sorted = std::ranges::is_sorted(launch.cores, {}, &CoreTrace::device);
    if (launch.cores.empty() || !is_sorted || launch.cores.back().device >= num_devices ||
        std::ranges::any_of(launch.cores, uses_fabric)) {
        return {{{0, num_devices}, launch.cores}};
    }
    std::vector<LaunchPart> parts;
    for (auto first = launch.cores.begin(); first != launch.cores.end();) {
        const auto last = std::find_if(first, launch.cores.end(), [&](const CoreTrace& core) {
            return core.device != first->device;
        });
        parts.push_back({{first->device, 1}, {first, last}});
        first = last;
    }
    return parts;
}

std::vector<ThreadSource> threads_of(const CoreTrace& core) {
    std::vector<ThreadSource> threads;
    const auto add = [&](Processor processor, TimelineThread role) {
        for (const ThreadTrace& thread : core.threads) {
            if (thread.processor == processor) {
                threads.push_back({&core, &thread, role});
            }
        }
    };
    add(Processor::Riscv1, TimelineThread::Reader);
    add(Processor::Riscv0, TimelineThread::Writer);
    add(Processor::Compute, TimelineThread::Unpack);
    add(Processor::Compute, TimelineThread::Math);
    add(Processor::Compute, TimelineThread::Pack);
    return threads;
}

LaunchTimeline join(std::vector<LaunchTimeline> parts) {
    if (parts.size() == 1) {
        return std::move(parts.front());
    }
    LaunchTimeline whole;
    whole.name = parts.front().name;
    reserve(whole, parts);
    for (const LaunchTimeline& part : parts) {
        whole.makespan = std::max(whole.makespan, part.makespan);
    }
    std::uint32_t cores = 0;
    for (LaunchTimeline& part : parts) {
        const bool has_intervals = !part.threads.empty() && !part.threads.front().intervals.empty();
        for (ThreadTimeline& thread : part.threads) {
            extend(thread, part.makespan, whole.makespan, has_intervals);
        }
        renumber(part, whole, cores);
        cores += count_cores(part);
        if (part.makespan == whole.makespan && whole.critical_path.empty()) {
            whole.critical_path = std::move(part.critical_path);
        }
        append(whole, std::move(part));
    }
    // Each part is sorted, the joined list is not; reports compare resources by position.
    std::ranges::sort(whole.resources, {}, [](const ResourceUse& u) {
        return std::tuple(u.kind, u.device, u.noc, u.node.y, u.node.x, u.direction);
    });
    return whole;
}

}  // namespace tessera::timing
