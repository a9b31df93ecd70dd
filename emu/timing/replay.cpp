// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/replay.hpp"

#include <tbb/parallel_for.h>

#include <exception>
#include <utility>

#include "emu/timing/critical_path.hpp"
#include "emu/timing/engine.hpp"
#include "emu/timing/outcome.hpp"
#include "emu/timing/setup.hpp"
#include "emu/timing/twins.hpp"

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

namespace {

/// Replays the parts of one launch.
class PartReplays {
public:
    PartReplays(const Trace& trace, const LaunchTrace& launch, const Machine& machine,
                const ReplayOptions& options)
        : trace_(trace),
          launch_(launch),
          machine_(machine),
          options_(options),
          own_(is_parted(options, machine) ? PartedLaunch{}
                                           : take_apart(launch, machine.mesh.shape.num_devices())),
          parts_(is_parted(options, machine) ? options.parted->parts : own_.parts),
          twins_(is_parted(options, machine) ? options.parted->twins : own_.twins),
          keys_(is_parted(options, machine) ? options.parted->keys : own_.keys),
          timelines_(parts_.size()),
          failures_(parts_.size()) {}

    LaunchTimeline run() {
        // Isolated: a failure of another replay beside this one would leave parts out.
        tbb::task_group_context context(tbb::task_group_context::isolated);
        tbb::parallel_for(
            std::size_t{0}, parts_.size(), [this](std::size_t i) { replay_part(i); }, context);
        for (const std::exception_ptr& failure : failures_) {
            if (failure) {
                std::rethrow_exception(failure);
            }
        }
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (is_twin(i)) {
                timelines_[i] = as_twin(timelines_[twins_[i]], parts_[i].devices.first, later(i));
            }
        }
        remember();
        LaunchTimeline timeline = join(std::move(timelines_));
        timeline.name = launch_.name;
        timeline.device_start.assign(options_.device_start.begin(), options_.device_start.end());
        timeline.device_start.resize(machine_.mesh.shape.num_devices());
        return timeline;
    }

private:
    static bool is_parted(const ReplayOptions& options, const Machine& machine) {
        return options.parted != nullptr &&
               options.parted->num_devices == machine.mesh.shape.num_devices();
    }
    [[nodiscard]] Millicycles start_of(std::size_t part) const {
        const std::uint32_t device = parts_[part].devices.first;
        return device < options_.device_start.size() ? options_.device_start[device] : 0;
    }
    [[nodiscard]] bool can_be_twin(std::size_t part) const {
        return options_.memory != nullptr && parts_[part].devices.count == 1;
    }
    /// The timeline of a part of the launch before that did the same, if there is one.
    [[nodiscard]] const PartMemory::Entry* remembered(std::size_t part) const {
        if (!can_be_twin(part)) {
            return nullptr;
        }
        for (const PartMemory::Entry& entry : options_.memory->entries) {
            if (entry.key == keys_[part] && (entry.start == start_of(part) || waits_for_start())) {
                return &entry;
            }
        }
        return nullptr;
    }
    void remember() {
        if (options_.memory == nullptr) {
            return;
        }
        std::vector<PartMemory::Entry> entries;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (can_be_twin(i) && !is_twin(i)) {
                entries.push_back({keys_[i], start_of(i), timelines_[i]});
            }
        }
        options_.memory->entries = std::move(entries);
    }
    [[nodiscard]] Millicycles later(std::size_t part) const {
        return start_of(part) - start_of(twins_[part]);
    }
    /// Whether another part's timeline does for this one: at the same time, or at another where
    /// both have a stretch before they start.
    [[nodiscard]] bool is_twin(std::size_t part) const {
        return twins_[part] != part && (later(part) == 0 || waits_for_start());
    }
    [[nodiscard]] bool waits_for_start() const { return LaunchCost(machine_.timing).latency() > 0; }

    void replay_part(std::size_t part) {
        if (is_twin(part)) {
            return;
        }
        if (const PartMemory::Entry* entry = remembered(part)) {
            timelines_[part] =
                as_twin(entry->timeline, parts_[part].devices.first, start_of(part) - entry->start);
            return;
        }
        try {
            ReplayState state(trace_, launch_, parts_[part], machine_, options_);
            set_up(state);
            timing::run(state);
            timelines_[part] = to_timeline(state);
        } catch (...) {
            failures_[part] = std::current_exception();
        }
    }

    const Trace& trace_;
    const LaunchTrace& launch_;
    const Machine& machine_;
    const ReplayOptions& options_;
    PartedLaunch own_;
    const std::vector<LaunchPart>& parts_;
    const std::vector<std::size_t>& twins_;
    const std::vector<PartKey>& keys_;
    std::vector<LaunchTimeline> timelines_;
    std::vector<std::exception_ptr> failures_;
};

}  // namespace

LaunchTimeline replay(const Trace& trace, const LaunchTrace& launch, const Machine& machine,
                      const ReplayOptions& options) {
    LaunchTimeline timeline = PartReplays(trace, launch, machine, options).run();
    if (options.keeps_intervals) {
        timeline.critical_path = critical_path(timeline);
    }
    return timeline;
}

}  // namespace tessera::timing
