// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/replay.hpp"

#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include "emu/base/isolated_for.hpp"
#include "emu/timing/critical_path.hpp"
#include "emu/timing/early_parts.hpp"
#include "emu/timing/engine.hpp"
#include "emu/timing/identical_devices.hpp"

namespace tessera::timing {

ReplayState::ReplayState(const Trace& whole, const LaunchTrace& of, const LaunchPart& part_of,
                         const Machine& on, const ReplayOptions& with)
    : trace(whole),
      launch(of),
      part(part_of),
      machine(on),
      options(with),
      costs(on.timing, whole),
      transport(on, part_of.devices),
      pruning{.limit = with.keeps == Keep::CriticalPath ? with.most_causes
                                                        : std::numeric_limits<std::size_t>::max()} {
}

namespace {

/// Releases the memory of intervals and causes.
void drop_intervals(LaunchTimeline& timeline) {
    // Assigning {} would keep the capacity: 1.5 GB over the 32 devices of deepseek_v32_decode.
    for (ThreadTimeline& thread : timeline.threads) {
        thread.intervals = std::vector<Interval>();
    }
    timeline.causes = std::vector<WaitCause>();
}

/// Replays the parts of one launch, each once, unless an identical part or the previous launch has
/// its timeline. On two devices of the DeepSeek-V3-sized layer, sharing and a faster network raised
/// the speed from 0.35 to 1.8 to 3.8 M events/s.
class PartReplays {
public:
    PartReplays(const Trace& trace, const LaunchTrace& launch, const Machine& machine,
                const ReplayOptions& options)
        : trace_(trace),
          launch_(launch),
          machine_(machine),
          options_(options),
          own_(is_partition_given(options, machine)
                   ? LaunchPartition{}
                   : partition(launch, machine.mesh.shape.num_devices())),
          partition_(is_partition_given(options, machine) ? *options.partition : own_),
          parts_(partition_.parts),
          early_(partition_, options.known_times, options.device_start),
          timelines_(parts_.size()),
          failures_(parts_.size()) {}

    LaunchTimeline run() {
        isolated_for(parts_.size(), [this](std::size_t i) { replay_part(i); });
        throw_first_failure();
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (is_duplicate(i) && !early_.is_left_out(i)) {
                timelines_[i] =
                    shifted_to(timelines_[representative(i)], parts_[i].devices.first, shift_of(i));
            }
        }
        early_.fill(timelines_);
        fill_cache();
        LaunchTimeline timeline = join(std::move(timelines_));
        timeline.name = launch_.name;
        // The start in this launch, not in the launch of a cached part: with the cached start,
        // steps were reported with the device time of the step before.
        timeline.device_start.assign(options_.device_start.begin(), options_.device_start.end());
        timeline.device_start.resize(machine_.mesh.shape.num_devices());
        return timeline;
    }
    void run_ahead(std::span<const std::size_t> wanted) {
        if (!can_shift()) {
            return;
        }
        isolated_for(wanted.size(), [&](std::size_t i) { replay_part(wanted[i]); });
        throw_first_failure();
        for (const std::size_t part : wanted) {
            options_.cache->entries.push_back(
                {partition_.keys[part], start_of(part), std::move(timelines_[part])});
        }
    }

private:
    // The first part's failure is thrown, whichever part failed first on the host: so the message is
    // the same at any number of threads.
    void throw_first_failure() const {
        for (const std::exception_ptr& failure : failures_) {
            if (failure) {
                std::rethrow_exception(failure);
            }
        }
    }
    static bool is_partition_given(const ReplayOptions& options, const Machine& machine) {
        return options.partition != nullptr &&
               options.partition->num_devices == machine.mesh.shape.num_devices();
    }
    [[nodiscard]] std::size_t representative(std::size_t part) const {
        return partition_.representatives[part];
    }
    [[nodiscard]] Millicycles start_of(std::size_t part) const {
        const std::uint32_t device = parts_[part].devices.first;
        return device < options_.device_start.size() ? options_.device_start[device] : 0;
    }
    [[nodiscard]] bool is_cacheable(std::size_t part) const {
        return options_.cache != nullptr && parts_[part].devices.count == 1;
    }
    /// Returns the timeline of an identical part of the previous launch; nullptr if there is none.
    [[nodiscard]] const ReplayCache::Entry* cached(std::size_t part) const {
        if (!is_cacheable(part)) {
            return nullptr;
        }
        for (const ReplayCache::Entry& entry : options_.cache->entries) {
            // Notes of a part (on_part) are valid at another start only if they can be shifted.
            if (entry.key == partition_.keys[part] &&
                (can_shift() || (!options_.on_part && entry.start == start_of(part)))) {
                return &entry;
            }
        }
        return nullptr;
    }
    // Only the previous launch is kept: timelines are large, and the steps of a layer that repeat
    // are neighbours (gate and up).
    void fill_cache() {
        if (options_.cache == nullptr) {
            return;
        }
        std::vector<ReplayCache::Entry> entries;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (is_cacheable(i) && !is_duplicate(i) && !early_.is_left_out(i)) {
                entries.push_back({partition_.keys[i], start_of(i), timelines_[i]});
            }
        }
        options_.cache->entries = std::move(entries);
    }
    [[nodiscard]] Millicycles shift_of(std::size_t part) const {
        return start_of(part) - start_of(representative(part));
    }
    /// Returns whether the timeline of another part is valid for this one, at the same time or
    /// shifted.
    [[nodiscard]] bool is_duplicate(std::size_t part) const {
        return representative(part) != part && (shift_of(part) == 0 || can_shift());
    }
    /// Returns whether each thread has an interval before it starts, which a shift extends. A
    /// device that starts at 0 has none if the launch latency is 0.
    [[nodiscard]] bool can_shift() const { return LaunchCost(machine_.timing).latency() > 0; }

    void replay_part(std::size_t part) {
        if (is_duplicate(part) || early_.is_left_out(part)) {
            return;
        }
        if (const ReplayCache::Entry* entry = cached(part)) {
            timelines_[part] = shifted_to(entry->timeline, parts_[part].devices.first,
                                          start_of(part) - entry->start);
            return;
        }
        try {
            timelines_[part] = replayed(part);
        } catch (...) {
            failures_[part] = std::current_exception();
        }
    }

    // A part of one device is replayed from 0 and then shifted. Wires are booked in slices of time
    // that begin at multiples of 32.8 cycles (Calendar), so that replays from two starts would
    // differ by up to 3 %. Identical devices and launches of a cache must not depend on the start
    // from which one of them was replayed first.
    [[nodiscard]] LaunchTimeline replayed(std::size_t part) const {
        const bool is_shifted = parts_[part].devices.count == 1 && can_shift();
        ReplayOptions options = options_;
        options.device_start = is_shifted ? std::span<const Millicycles>() : options.device_start;
        ReplayState state(trace_, launch_, parts_[part], machine_, options);
        set_up(state);
        timing::run(state);
        LaunchTimeline timeline = to_timeline(state);
        if (options_.on_part) {
            pass_on(part, timeline);
        }
        const Millicycles later = is_shifted ? start_of(part) : 0;
        return later == 0 ? timeline
                          : shifted_to(std::move(timeline), parts_[part].devices.first, later);
    }

    /// Passes a part to on_part and drops its intervals and causes.
    void pass_on(std::size_t part, LaunchTimeline& timeline) const {
        options_.on_part(part, timeline);
        timeline.critical_path = critical_path(timeline);
        drop_intervals(timeline);
    }

    const Trace& trace_;
    const LaunchTrace& launch_;
    const Machine& machine_;
    const ReplayOptions& options_;
    LaunchPartition own_;
    const LaunchPartition& partition_;
    const std::vector<LaunchPart>& parts_;
    EarlyParts early_;
    std::vector<LaunchTimeline> timelines_;
    std::vector<std::exception_ptr> failures_;
};

}  // namespace

LaunchTimeline replay(const Trace& trace, const LaunchTrace& launch, const Machine& machine,
                      const ReplayOptions& options) {
    LaunchTimeline timeline = PartReplays(trace, launch, machine, options).run();
    // With on_part each part has its own path, and join() takes that of the part that ends last.
    if (options.keeps != Keep::Totals && !options.on_part) {
        timeline.critical_path = critical_path(timeline);
    }
    if (options.keeps != Keep::CriticalPath) {
        return timeline;
    }
    if (timeline.critical_path.empty() && timeline.makespan > 0) {
        // The path leads through a transfer that was under way for longer than pruning assumes.
        ReplayOptions unpruned = options;
        unpruned.most_causes = std::numeric_limits<std::size_t>::max();
        return replay(trace, launch, machine, unpruned);
    }
    drop_intervals(timeline);
    return timeline;
}

void replay_ahead(const Trace& trace, const LaunchTrace& launch, const Machine& machine,
                  const ReplayOptions& options, std::span<const std::size_t> parts) {
    PartReplays(trace, launch, machine, options).run_ahead(parts);
}

}  // namespace tessera::timing
