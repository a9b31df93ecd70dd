// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/identical_devices.hpp"

#include <algorithm>
#include <utility>

#include "emu/base/isolated_for.hpp"

namespace tessera::timing {
namespace {

/// Returns the argument without the device of a word: identical devices add to their own words.
std::uint64_t argument_of(const TraceEvent& event) noexcept {
    constexpr std::uint64_t kWithoutDevice = ~std::uint64_t{0} >> 16U;
    const bool is_word =
        event.kind == EventKind::SemaphoreAdd || event.kind == EventKind::WordWrite;
    return is_word ? event.argument & kWithoutDevice : event.argument;
}

/// Hashes the events of a part. The key has everything that a replay of the part reads, except its
/// device and its start, by which identical parts differ. Names are hashed by their numbers, since
/// both parts are in one trace.
class EventHash : public KeyHash {
public:
    using KeyHash::add;
    void add(const CoreTrace& core) noexcept {
        // Routes depend on the place of the core.
        add(std::uint64_t{core.core.x} << 32U | core.core.y);
        // Each list is hashed after its length, so that no two traces give the same sequence.
        add(core.cbs.size());
        for (const CbTrace& cb : core.cbs) {
            add(std::uint64_t{cb.index} << 32U | static_cast<std::uint64_t>(cb.format));
            add(std::uint64_t{cb.pages} << 32U | cb.page_bytes);
        }
        add(core.threads.size());
        for (const ThreadTrace& thread : core.threads) {
            add(thread);
        }
    }

private:
    void add(const ThreadTrace& thread) noexcept {
        add(std::uint64_t{thread.kernel} << 8U | static_cast<std::uint64_t>(thread.processor));
        add(static_cast<std::uint64_t>(thread.compute.fidelity) << 8U |
            std::uint64_t{thread.compute.fp32_dest_acc} |
            std::uint64_t{thread.compute.dst_full_sync} << 1U |
            std::uint64_t{thread.compute.approximate} << 2U);
        add(thread.sites.size());
        for (const TraceSite& site : thread.sites) {
            add(std::uint64_t{site.file} << 32U | site.line);
        }
        add(thread.events.size());
        for (const TraceEvent& event : thread.events) {
            add(event);
        }
    }
    void add(const TraceEvent& event) noexcept {
        // Two words of an event in one step: events are most of the hashed values.
        add_pair(static_cast<std::uint64_t>(event.kind) << 56U |
                     std::uint64_t{event.detail} << 48U | std::uint64_t{event.site} << 32U |
                     event.count,
                 argument_of(event));
    }
};

std::vector<InitialWord> words_of(const LaunchTrace& launch, const LaunchPart& part) {
    std::vector<InitialWord> words;
    for (InitialWord word : launch.initial_words) {
        if (word.device == part.devices.first) {
            word.device = 0;
            words.push_back(word);
        }
    }
    return words;
}

// Only the total of NotStarted changes: no later activity of a part depends on the time at which
// the part begins.
void shift(ThreadTimeline& thread, std::uint32_t device, Millicycles later) {
    thread.device = static_cast<std::uint16_t>(device);
    thread.totals[static_cast<std::size_t>(Activity::NotStarted)] += later;
    for (Interval& interval : thread.intervals) {
        interval.end += later;
    }
}

}  // namespace

PartKey key_of(const LaunchTrace& launch, const LaunchPart& part) {
    EventHash hash;
    hash.add(part.cores.size());
    for (const CoreTrace& core : part.cores) {
        hash.add(core);
    }
    for (const InitialWord& word : words_of(launch, part)) {
        hash.add(std::uint64_t{word.core.x} << 32U | word.core.y);
        hash.add(std::uint64_t{word.address} << 32U | word.value);
    }
    return hash.key();
}

LaunchPartition partition(const LaunchTrace& launch, std::uint32_t num_devices) {
    LaunchPartition partition{num_devices, parts_of(launch, num_devices), {}, {}};
    const std::size_t count = partition.parts.size();
    partition.keys.resize(count);
    partition.representatives.resize(count);
    const auto note_key = [&](std::size_t i) {
        if (partition.parts[i].devices.count == 1) {
            partition.keys[i] = key_of(launch, partition.parts[i]);
        }
    };
    isolated_for(count, note_key);
    for (std::size_t i = 0; i < count; ++i) {
        const auto first = std::ranges::find(partition.keys, partition.keys[i]);
        partition.representatives[i] = static_cast<std::size_t>(first - partition.keys.begin());
    }
    return partition;
}

LaunchTimeline shifted_to(LaunchTimeline timeline, std::uint32_t device, Millicycles later) {
    LaunchTimeline shifted = std::move(timeline);
    const Millicycles end = shifted.makespan + later;
    shifted.makespan = end;
    for (ThreadTimeline& thread : shifted.threads) {
        shift(thread, device, later);
    }
    for (WaitCause& cause : shifted.causes) {
        cause.time += later;
    }
    for (std::size_t i = 0; i < shifted.critical_path.size(); ++i) {
        // The path begins at 0 with the time before the device starts.
        shifted.critical_path[i].begin += i == 0 ? 0 : later;
        shifted.critical_path[i].end += later;
    }
    for (ZoneSpan& zone : shifted.zones) {
        zone.begin += later;
        zone.end += later;
    }
    for (CbLevel& level : shifted.cb_levels) {
        for (auto& [time, pages] : level.pages) {
            time += later;
        }
    }
    for (ResourceUse& use : shifted.resources) {
        use.device = static_cast<std::uint16_t>(device);
    }
    std::ranges::fill(shifted.device_end, 0);
    shifted.device_end[device] = end;
    return shifted;
}

}  // namespace tessera::timing
