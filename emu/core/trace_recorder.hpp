// SPDX-License-Identifier: Apache-2.0
// Appends what one kernel thread does to its trace, merging runs of equal events.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/base/event_kinds.hpp"
#include "emu/core/kernel_thread.hpp"
#include "tessera/call_site.hpp"
#include "tessera/trace.hpp"

namespace tessera {

/// The events of a thread in program order. Sites are numbered by first use; site 0 is "no line".
/// Names (of SFPU functions and zones) stand in the argument as the address of a string that lives
/// as long as the kernel; the collector puts their index there.
class TraceRecorder {
public:
    /// `counters` of the kernel's instructions, which events of their own say; null: none are
    /// wanted, as of compute kernels, whose RISCs run ahead of the units that they feed.
    explicit TraceRecorder(const InstructionCounters* counters = nullptr) : counters_(counters) {
        events_.reserve(kFirstEvents);
        sites_.reserve(kFirstSites);
    }

    /// Records an event of a kind that runs: counts the last event up if it is the same.
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
    /// Records an event whose count is a value of its own.
    void append(EventKind kind, std::uint8_t detail, std::uint32_t count, std::uint64_t argument,
                CallSite site) {
        push({kind, detail, site_index(site), count, argument});
    }
    /// Records the instructions that are left when the kernel has returned.
    void finish() {
        if (counters_ != nullptr) {
            record_instructions(difference(*counters_, recorded_), 0);
        }
    }

    /// The last event, if it came from `site`; null otherwise.
    [[nodiscard]] const TraceEvent* last_at(CallSite site) {
        const bool is_there = !events_.empty() && events_.back().site == site_index(site);
        return is_there && site.line != 0 ? &events_.back() : nullptr;
    }

    /// `name` as it stands in the argument of an event until the trace is collected.
    [[nodiscard]] std::uint64_t argument_of(const char* name) noexcept {
        has_names_ = true;
        return reinterpret_cast<std::uint64_t>(name);
    }
    /// Whether arguments hold names that are to be numbered.
    [[nodiscard]] bool has_names() const noexcept { return has_names_; }

    [[nodiscard]] std::vector<TraceEvent>& events() noexcept { return events_; }
    /// By index; the first is site 0.
    [[nodiscard]] const std::vector<CallSite>& sites() const noexcept { return sites_; }

private:
    // First capacities. Most threads of an op need no more, so their vectors never move.
    static constexpr std::size_t kFirstEvents = 512;
    static constexpr std::size_t kFirstSites = 32;
    // Direct-mapped: kernels are short, and a loop's lines follow each other.
    static constexpr std::size_t kCacheSlots = 64;
    // Instructions of so few cycles wait for the next event: one for each round of each loop would
    // double the events of a trace. A call that is priced brings its loop's own control
    // (risc.loop_control).
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
    InstructionCounters recorded_;  ///< when instructions were last recorded
    std::uint32_t num_calls_ = 0;   ///< since then
    bool has_names_ = false;
};

/// Records on the thread, if its launch is traced.
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
