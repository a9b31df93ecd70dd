// SPDX-License-Identifier: Apache-2.0
// Records the trace events of one kernel thread, and merges runs of equal events.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/base/event_kinds.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/call_site.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// Records the events of a thread in program order. Sites are numbered by first use; site 0 is "no
/// line". The argument of an event with a name (has_name) is at first the address of a string that
/// lives as long as the kernel; the collector replaces it by the name's index.
class TraceRecorder {
public:
    /// Starts a trace. `counters` counts the kernel's instructions, which become Instructions
    /// events. It is null for compute kernels, whose RISCs run ahead of the units that they feed.
    explicit TraceRecorder(const InstructionCounters* counters = nullptr) : counters_(counters) {
        events_.reserve(kFirstEvents);
        sites_.reserve(kFirstSites);
    }

    /// Records an event of a kind that is merged (is_run): increments the count of the last event
    /// if that is equal.
    void run(EventKind kind, std::uint8_t detail, std::uint64_t argument, CallSite site) {
        const std::uint16_t index = site_index(site);
        if (!events_.empty()) {
            TraceEvent& last = events_.back();
            if (last.argument == argument && last.kind == kind && last.site == index &&
                last.detail == detail && last.count < kMostOfARun) {
                ++last.count;
                ++num_calls_;
                return;
            }
        }
        push({kind, detail, index, 1, argument});
    }
    /// Records an event that is not merged. EventKind defines the meaning of its `count`.
    void append(EventKind kind, std::uint8_t detail, std::uint32_t count, std::uint64_t argument,
                CallSite site) {
        push({kind, detail, site_index(site), count, argument});
    }
    /// Records the instructions since the last event, when the kernel has returned.
    void finish() {
        if (counters_ != nullptr) {
            record_instructions(difference(*counters_, recorded_), 0);
        }
    }

    /// Returns the last event if its source position is `site`, which has a line; else null.
    [[nodiscard]] const TraceEvent* last_at(CallSite site) {
        const bool is_there = !events_.empty() && events_.back().site == site_index(site);
        return is_there && site.line != 0 ? &events_.back() : nullptr;
    }

    /// Returns the argument of an event with this name, valid until the trace is collected.
    [[nodiscard]] std::uint64_t argument_of(const char* name) noexcept {
        has_names_ = true;
        return reinterpret_cast<std::uint64_t>(name);
    }
    /// Returns whether arguments hold addresses of names, which the collector has to replace.
    [[nodiscard]] bool has_names() const noexcept { return has_names_; }

    [[nodiscard]] std::vector<TraceEvent>& events() noexcept { return events_; }
    /// Returns the sites by index; element 0 is "no line".
    [[nodiscard]] const std::vector<CallSite>& sites() const noexcept { return sites_; }

private:
    // Initial capacities. Most threads of an op need no more, so their vectors are never copied.
    static constexpr std::size_t kFirstEvents = 512;
    static constexpr std::size_t kFirstSites = 32;
    // The cache of sites is direct-mapped by line: kernels are short, and the lines of a loop are
    // consecutive, so they seldom share a slot.
    static constexpr std::size_t kCacheSlots = 64;
    // Instructions that take at most so many cycles are carried over to the next event: an event in
    // each iteration of each loop would double the events of a trace. The limit grows by
    // kFewOfACall for each call since, whose price includes its loop's control (risc.loop_control).
    static constexpr std::uint32_t kFewInstructions = 32;
    static constexpr std::uint32_t kFewOfACall = 4;
    struct CachedSite {
        CallSite site;
        std::uint16_t index = 0;
    };

    void push(TraceEvent event) {
        if (counters_ != nullptr) {
            const InstructionCount count = difference(*counters_, recorded_);
            const std::uint32_t cycles =
                count.slots + count.load_waits + count.store_waits + count.dividend_bits;
            if (cycles > kFewInstructions + num_calls_ * kFewOfACall) [[unlikely]] {
                record_instructions(count, event.site);
            }
        }
        store(event);
        ++num_calls_;
    }
    void store(const TraceEvent& event) {
        if (events_.size() == events_.capacity()) [[unlikely]] {
            grow();
        }
        events_.push_back(event);
    }
    void grow();
    void record_instructions(InstructionCount count, std::uint16_t site);

    [[nodiscard]] std::uint16_t site_index(CallSite site) {
        CachedSite& slot = cache_[site.line % kCacheSlots];
        if (slot.site.line != site.line || slot.site.file != site.file) [[unlikely]] {
            slot = {site, find_site(site)};
        }
        return slot.index;
    }
    /// Errors   InternalError beyond the sites that an event can name.
    [[nodiscard]] std::uint16_t find_site(CallSite site);

    std::array<CachedSite, kCacheSlots> cache_{};
    std::vector<CallSite> sites_{CallSite{}};
    std::vector<TraceEvent> events_;
    const InstructionCounters* counters_;
    InstructionCounters recorded_;  ///< counters when instructions were last recorded
    std::uint32_t num_calls_ = 0;   ///< calls since instructions were last recorded
    bool has_names_ = false;
};

/// Record an event of the thread if its launch is traced; see TraceRecorder::run and append.
inline void record_run(KernelThread& thread, EventKind kind, std::uint8_t detail,
                       std::uint64_t argument, CallSite site) {
    if (thread.recorder) {
        thread.recorder->run(kind, detail, argument, site);
    }
}
inline void record_act(KernelThread& thread, EventKind kind, std::uint8_t detail,
                       std::uint32_t count, std::uint64_t argument, CallSite site) {
    if (thread.recorder) {
        thread.recorder->append(kind, detail, count, argument, site);
    }
}

}  // namespace tessera
