// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/twins.hpp"

#include <algorithm>

namespace tessera::timing {
namespace {

/// A word's argument holds its device too.
std::uint64_t argument_of(const TraceEvent& event) noexcept {
    const bool is_word =
        event.kind == EventKind::SemaphoreAdd || event.kind == EventKind::WordWrite;
    WordArgument word = WordArgument::unpack(event.argument);
    word.device = 0;
    return is_word ? word.pack() : event.argument;
}

bool is_same_event(const TraceEvent& a, const TraceEvent& b) noexcept {
    return a.kind == b.kind && a.detail == b.detail && a.site == b.site && a.count == b.count &&
           argument_of(a) == argument_of(b);
}

bool is_same_thread(const ThreadTrace& a, const ThreadTrace& b) {
    return a.processor == b.processor && a.kernel == b.kernel && a.compute == b.compute &&
           a.sites == b.sites && std::ranges::equal(a.events, b.events, is_same_event);
}

bool is_same_core(const CoreTrace& a, const CoreTrace& b) {
    return a.core == b.core && a.cbs == b.cbs &&
           std::ranges::equal(a.threads, b.threads, is_same_thread);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) noexcept {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
    return hash ^ hash >> 29U;
}

/// Equal for twins, and hardly ever for others.
std::uint64_t hash_of(const LaunchPart& part) {
    std::uint64_t hash = part.cores.size();
    for (const CoreTrace& core : part.cores) {
        for (const ThreadTrace& thread : core.threads) {
            hash = mixed(hash, thread.events.size());
            for (const TraceEvent& event : thread.events) {
                hash = mixed(hash, argument_of(event) + event.count);
            }
        }
    }
    return hash;
}

/// Two hashes of everything that goes in, in order.
class KeyHash {
public:
    void add(std::uint64_t value) noexcept {
        key_.halves[0] = mixed(key_.halves[0], value);
        key_.halves[1] = mixed(key_.halves[1] + 0xD1B54A32D192ED03U, value);
    }
    void add(const CoreTrace& core) noexcept {
        add(std::uint64_t{core.core.x} << 32U | core.core.y);
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
    [[nodiscard]] const PartKey& key() const noexcept { return key_; }

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
            add(static_cast<std::uint64_t>(event.kind) << 56U | std::uint64_t{event.detail} << 48U |
                std::uint64_t{event.site} << 32U | event.count);
            add(argument_of(event));
        }
    }
    PartKey key_;
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

bool are_twins(const LaunchTrace& launch, const LaunchPart& a, const LaunchPart& b) {
    return std::ranges::equal(a.cores, b.cores, is_same_core) &&
           words_of(launch, a) == words_of(launch, b);
}

void move(ThreadTimeline& thread, std::uint32_t device, Millicycles later) {
    thread.device = static_cast<std::uint16_t>(device);
    thread.totals[static_cast<std::size_t>(Activity::NotStarted)] += later;
    for (Interval& interval : thread.intervals) {
        interval.end += later;
    }
}

}  // namespace

PartKey key_of(const LaunchTrace& launch, const LaunchPart& part) {
    KeyHash hash;
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

std::vector<std::size_t> twins_of(const LaunchTrace& launch, std::span<const LaunchPart> parts) {
    std::vector<std::size_t> twins(parts.size());
    if (parts.size() == 1) {
        return twins;
    }
    std::vector<std::uint64_t> hashes(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        hashes[i] = hash_of(parts[i]);
        for (twins[i] = 0; twins[i] < i; ++twins[i]) {
            if (hashes[twins[i]] == hashes[i] && are_twins(launch, parts[twins[i]], parts[i])) {
                break;
            }
        }
    }
    return twins;
}

LaunchTimeline as_twin(const LaunchTimeline& timeline, std::uint32_t device, Millicycles later) {
    LaunchTimeline moved = timeline;
    const Millicycles end = timeline.makespan + later;
    moved.makespan = end;
    for (ThreadTimeline& thread : moved.threads) {
        move(thread, device, later);
    }
    for (WaitCause& cause : moved.causes) {
        cause.time += later;
    }
    for (ZoneSpan& zone : moved.zones) {
        zone.begin += later;
        zone.end += later;
    }
    for (CbLevel& level : moved.cb_levels) {
        for (auto& [time, pages] : level.pages) {
            time += later;
        }
    }
    for (ResourceUse& use : moved.resources) {
        use.device = static_cast<std::uint16_t>(device);
    }
    std::ranges::fill(moved.device_end, 0);
    moved.device_end[device] = end;
    return moved;
}

}  // namespace tessera::timing
