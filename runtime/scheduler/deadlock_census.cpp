// SPDX-License-Identifier: Apache-2.0
#include "runtime/scheduler/deadlock_census.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emu/core/core.hpp"
#include "emu/core/kernel_thread.hpp"
#include "emu/noc/semaphore_traffic.hpp"
#include "runtime/scheduler/deadlock_cause.hpp"
#include "runtime/scheduler/launch_state.hpp"

namespace tessera {
namespace {

// A message with more lines no longer fits a screen; the cause comes before them anyhow.
constexpr std::size_t kMostGroups = 24;

std::vector<KernelThread*> blocked_threads(std::span<Core* const> cores) {
    std::vector<KernelThread*> blocked;
    for (Core* core : cores) {
        for (const auto& thread : core->threads) {
            if (thread && !thread->is_finished) {
                blocked.push_back(thread.get());
            }
        }
    }
    std::ranges::sort(blocked, {}, [](const KernelThread* t) { return order_of(*t); });
    return blocked;
}

/// Threads that wait at the same line for the same object, with the same requirement.
using Group = std::vector<const KernelThread*>;

// A poll has no object: the words of its last wait are left over and would split equal threads.
auto key_of(const KernelThread& thread) {
    const WaitRecord& wait = thread.wait;
    const bool is_poll = wait.kind == WaitKind::None;
    return std::tuple(thread.processor(), thread.kernel, std::string(thread.last_call.file),
                      thread.last_call.line, wait.kind, is_poll ? 0 : wait.object,
                      is_poll ? 0 : wait.need, thread.awaited_mux);
}

// Returns the groups in the order of their first threads.
std::vector<Group> groups_of(std::span<KernelThread* const> blocked) {
    std::map<decltype(key_of(*blocked.front())), std::size_t> known;
    std::vector<Group> groups;
    for (const KernelThread* thread : blocked) {
        const auto [place, is_new] = known.try_emplace(key_of(*thread), groups.size());
        if (is_new) {
            groups.emplace_back();
        }
        groups[place->second].push_back(thread);
    }
    return groups;
}

/// Returns "3", or "0 to 3" if the threads of a group differ.
template <class Of>
std::string range_of(const Group& group, Of of) {
    std::vector<std::uint32_t> values;
    for (const KernelThread* thread : group) {
        values.push_back(of(*thread));
    }
    const auto [low, high] = std::ranges::minmax(values);
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
}

std::string loop_text(const KernelThread& thread) {
    switch (thread.idling) {
        case Idling::Asks:
            return "a loop around this call";
        case Idling::Polls:
            return "a loop that polls memory";
        case Idling::Computes:
            return "a loop that reads memory";
    }
    return "?";
}

std::string wait_text(const Group& group) {
    const KernelThread& thread = *group.front();
    const WaitRecord& wait = thread.wait;
    const auto buffer = [](const KernelThread& of) -> const CircularBuffer& {
        return of.core().circular_buffers[of.wait.object];
    };
    const auto value = [](const KernelThread& of) { return load_local_word(of, of.wait.object); };
    switch (wait.kind) {
        case WaitKind::CbData:
            return fmt::format(
                "cb_wait_front(cb {}, {}): {} of {} pages are there", wait.object, wait.need,
                range_of(group, [&](const auto& of) { return buffer(of).num_full(); }), wait.need);
        case WaitKind::CbSpace:
            return fmt::format(
                "cb_reserve_back(cb {}, {}): {} of {} pages are free", wait.object, wait.need,
                range_of(group, [&](const auto& of) { return buffer(of).num_free(); }), wait.need);
        case WaitKind::SemaphoreEquals:
        case WaitKind::SemaphoreAtLeast:
            return fmt::format("noc_semaphore_wait{}({}, {}): its value is {}",
                               wait.kind == WaitKind::SemaphoreEquals ? "" : "_min",
                               name_of_word(thread.core(), wait.object), wait.need,
                               range_of(group, value));
        case WaitKind::None:
            return thread.awaited_mux == nullptr
                       ? loop_text(thread)
                       : fmt::format("a loop that polls the mux on core {}",
                                     to_string(thread.awaited_mux->logical()));
    }
    return "?";
}

/// Returns cores as rectangles: neighbours of a row become a run, and equal runs of rows below each
/// other become one rectangle.
std::vector<CoreRange> rectangles_of(const std::vector<CoreCoord>& cores) {
    std::vector<CoreRange> runs;
    for (const CoreCoord core : cores) {  // by y, then x
        if (!runs.empty() && runs.back().end_coord.y == core.y &&
            runs.back().end_coord.x + 1 == core.x) {
            runs.back().end_coord = core;
        } else {
            runs.emplace_back(core);
        }
    }
    std::vector<CoreRange> rectangles;
    for (const CoreRange& run : runs) {
        const auto above = std::ranges::find_if(rectangles, [&](const CoreRange& upper) {
            return upper.end_coord.y + 1 == run.start_coord.y &&
                   upper.start_coord.x == run.start_coord.x && upper.end_coord.x == run.end_coord.x;
        });
        if (above == rectangles.end()) {
            rectangles.push_back(run);
        } else {
            above->end_coord = run.end_coord;
        }
    }
    return rectangles;
}

/// Returns "core (0,0)", "cores (0,0)-(7,7), (0,8)".
std::string cores_text(const std::vector<CoreCoord>& cores) {
    std::vector<std::string> parts;
    for (const CoreRange& range : rectangles_of(cores)) {
        parts.push_back(range.start_coord == range.end_coord ? to_string(range.start_coord)
                                                             : to_string(range));
    }
    return fmt::format("core{} {}", cores.size() == 1 ? "" : "s", fmt::join(parts, ", "));
}

/// Returns "device 2", "devices 0 to 3", "devices 0, 2".
std::string devices_text(const std::vector<std::uint32_t>& devices) {
    if (devices.size() == 1) {
        return fmt::format("device {}", devices.front());
    }
    const bool is_run =
        devices.size() > 2 && devices.back() - devices.front() + 1 == devices.size();
    return is_run ? fmt::format("devices {} to {}", devices.front(), devices.back())
                  : fmt::format("devices {}", fmt::join(devices, ", "));
}

/// Devices with the same set of cores are named together.
std::string places_text(const Group& group) {
    std::map<std::uint32_t, std::vector<CoreCoord>> cores;
    for (const KernelThread* thread : group) {
        cores[thread->activity.device].push_back(thread->core().logical());
    }
    std::vector<std::pair<std::string, std::vector<std::uint32_t>>> places;
    for (const auto& [device, on_device] : cores) {
        const std::string text = cores_text(on_device);
        const auto same = std::ranges::find(places, text, &decltype(places)::value_type::first);
        if (same == places.end()) {
            places.push_back({text, {device}});
        } else {
            same->second.push_back(device);
        }
    }
    std::vector<std::string> parts;
    parts.reserve(places.size());
    for (const auto& [text, devices] : places) {
        parts.push_back(devices_text(devices) + " " + text);
    }
    return fmt::format("{}", fmt::join(parts, "; "));
}

// A call in a header of the kernel does not say which kernel it is.
std::string kernel_text(const KernelThread& thread) {
    return thread.kernel == thread.last_call.file ? "" : " of " + thread.kernel;
}

std::string group_text(const Group& group) {
    const KernelThread& first = *group.front();
    return fmt::format("\n    {}{} {} {}:{}{} waits in {}",
                       group.size() == 1 ? "" : fmt::format("{} threads: ", group.size()),
                       places_text(group), role_of(first.processor()), first.last_call.file,
                       first.last_call.line, kernel_text(first), wait_text(group));
}

}  // namespace

KernelError describe_deadlock(std::span<Core* const> cores) {
    const auto blocked = blocked_threads(cores);
    const DeadlockCause cause = find_cause(blocked, cores);
    const bool is_one = blocked.size() == 1;
    std::string text =
        fmt::format("{}\n  {} kernel thread{} blocked and nothing is in flight:", cause.text,
                    blocked.size(), is_one ? " is" : "s are");
    const std::vector<Group> groups = groups_of(blocked);
    for (std::size_t i = 0; i < std::min(groups.size(), kMostGroups); ++i) {
        text += group_text(groups[i]);
    }
    if (groups.size() > kMostGroups) {
        text += fmt::format("\n    … and {} more groups", groups.size() - kMostGroups);
    }
    const CallSite site = cause.thread->last_call;
    return {FaultCategory::Deadlock,
            {.device = cause.thread->activity.device,
             .core = cause.thread->core().logical(),
             .processor = cause.thread->processor(),
             .kernel = cause.thread->kernel,
             .file = site.file,
             .line = site.line},
            text};
}

}  // namespace tessera
