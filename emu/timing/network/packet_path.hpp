// SPDX-License-Identifier: Apache-2.0
// What one packet passes, and when: resources with the time from the packet's start to its first
// flit there, and how long it occupies each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

inline constexpr std::uint32_t kNoChannel = 0xFFFFFFFFU;

/// Where a packet comes into a router from.
enum class RouterInput : std::uint8_t { X, Y, Local };
inline constexpr std::size_t kRouterInputs = 3;

struct PathStep {
    std::uint32_t resource = 0;
    Millicycles offset = 0;
    Millicycles duration = 0;
    std::uint32_t channel = kNoChannel;  ///< virtual channel to hold, of VirtualChannels
    RouterInput input{};                 ///< of the router in front
};

/// The regular part of a path through one network: an injection port, links, an ejection port.
struct PathRun {
    std::span<const std::uint16_t> channels;  ///< of a RouteTable
    std::uint32_t base = 0;                   ///< first channel of the network
    Millicycles interface = 0;                ///< offset of the first link
    Millicycles hop = 0;                      ///< from one link to the next
    Millicycles injection = 0;                ///< durations
    Millicycles link = 0;
    Millicycles ejection = 0;

    [[nodiscard]] std::uint32_t resource_of(std::size_t i) const noexcept {
        return (base + channels[i]) / 2;
    }
};

/// A DRAM bank and its channel: a path by itself.
struct BankPath {
    std::uint32_t bank = 0;  ///< resources
    std::uint32_t channel = 0;
    Millicycles on_bank = 0;  ///< durations
    Millicycles on_channel = 0;

    template <class Visit>
    void for_each(Visit visit) const {
        visit(bank, Millicycles{0}, on_bank);
        visit(channel, Millicycles{0}, on_channel);
    }
    [[nodiscard]] Millicycles slowest() const noexcept { return std::max(on_bank, on_channel); }
};

/// Steps in order: those of a run, if there is one, and then single ones. Scratch space: one is
/// filled anew for each attempt, so that nothing is allocated.
class PacketPath {
public:
    Millicycles latency = 0;  ///< start to the first flit at the end of the path
    std::uint32_t hops = 0;   ///< links to the furthest end

    void clear() noexcept {
        run_.channels = {};
        singles_.clear();
        origin_ = 0;
        latency = 0;
        hops = 0;
        slowest_ = 0;
        slowest_resource_ = 0;
    }
    /// Precondition   clear, the run has both ports.
    void begin_with(const PathRun& run) {
        run_ = run;
        note(run.injection, resource_of(0));
        if (run.channels.size() > 2) {
            note(run.link, resource_of(1));
        }
        note(run.ejection, resource_of(run.channels.size() - 1));
    }
    void add(std::uint32_t resource, Millicycles offset, Millicycles duration) {
        singles_.push_back({resource, offset, duration, kNoChannel, {}});
        note(duration, resource);
    }
    /// A bank behind the rest of the path, from `offset` on.
    void add(const BankPath& bank, Millicycles offset) {
        bank.for_each([&](std::uint32_t resource, Millicycles, Millicycles duration) {
            add(resource, offset, duration);
        });
    }
    /// Seen from a head that has come `offset` far: negative offsets are behind it.
    void move_origin(Millicycles offset) noexcept {
        origin_ += offset;
        latency -= offset;
    }

    [[nodiscard]] std::uint32_t size() const noexcept {
        return static_cast<std::uint32_t>(run_.channels.size() + singles_.size());
    }
    [[nodiscard]] PathStep step(std::uint32_t i) const noexcept;
    /// Calls `visit(resource, offset, duration)` for each step.
    template <class Visit>
    void for_each(Visit visit) const;
    [[nodiscard]] const PathRun& run() const noexcept { return run_; }
    [[nodiscard]] Millicycles origin() const noexcept { return origin_; }
    /// Longest duration, and the first resource that takes it.
    [[nodiscard]] Millicycles slowest() const noexcept { return slowest_; }
    [[nodiscard]] std::uint32_t slowest_resource() const noexcept { return slowest_resource_; }

private:
    [[nodiscard]] std::uint32_t resource_of(std::size_t i) const noexcept {
        return run_.resource_of(i);
    }
    [[nodiscard]] Millicycles offset_of(std::size_t i) const noexcept {
        const auto passed = static_cast<Millicycles>(i) - 1;
        return (i == 0 ? 0 : run_.interface + passed * run_.hop) - origin_;
    }
    [[nodiscard]] Millicycles duration_of(std::size_t i) const noexcept {
        return i == 0 ? run_.injection : i + 1 == run_.channels.size() ? run_.ejection : run_.link;
    }
    [[nodiscard]] RouterInput input_of(std::size_t i) const noexcept {
        constexpr std::uint32_t kLinkY = 3;
        return i < 2                              ? RouterInput::Local
               : resource_of(i - 1) % 4 == kLinkY ? RouterInput::Y
                                                  : RouterInput::X;
    }
    void note(Millicycles duration, std::uint32_t resource) noexcept {
        if (duration > slowest_) {
            slowest_ = duration;
            slowest_resource_ = resource;
        }
    }

    PathRun run_;
    std::vector<PathStep> singles_;
    Millicycles origin_ = 0;
    Millicycles slowest_ = 0;
    std::uint32_t slowest_resource_ = 0;
};

inline PathStep PacketPath::step(std::uint32_t i) const noexcept {
    const std::size_t length = run_.channels.size();
    if (i >= length) {
        PathStep step = singles_[i - length];
        step.offset -= origin_;
        return step;
    }
    if (i == 0) {
        return {resource_of(0), -origin_, run_.injection, kNoChannel, {}};
    }
    return {resource_of(i), offset_of(i), duration_of(i), run_.base + run_.channels[i],
            input_of(i)};
}

template <class Visit>
void PacketPath::for_each(Visit visit) const {
    if (!run_.channels.empty()) {
        const std::size_t last = run_.channels.size() - 1;
        visit(resource_of(0), -origin_, run_.injection);
        Millicycles offset = run_.interface - origin_;
        for (std::size_t i = 1; i < last; ++i, offset += run_.hop) {
            visit(resource_of(i), offset, run_.link);
        }
        visit(resource_of(last), offset, run_.ejection);
    }
    for (const PathStep& step : singles_) {
        visit(step.resource, step.offset - origin_, step.duration);
    }
}

}  // namespace tessera::timing
