// SPDX-License-Identifier: Apache-2.0
// What one packet passes, and when: resources with the time from the packet's start to its first
// flit there, and how long it occupies each.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// The steps of a path, in order. Reused, so that nothing is allocated.
class PathSteps {
public:
    void clear() noexcept { size_ = 0; }
    void add(const PathStep& step) {
        if (size_ == all_.size()) {
            all_.resize(all_.size() + kMore);
        }
        all_[size_++] = step;
    }
    [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
    [[nodiscard]] PathStep& operator[](std::uint32_t i) noexcept { return all_[i]; }
    [[nodiscard]] const PathStep& operator[](std::uint32_t i) const noexcept { return all_[i]; }
    [[nodiscard]] PathStep* begin() noexcept { return all_.data(); }
    [[nodiscard]] PathStep* end() noexcept { return all_.data() + size_; }
    [[nodiscard]] const PathStep* begin() const noexcept { return all_.data(); }
    [[nodiscard]] const PathStep* end() const noexcept { return all_.data() + size_; }
    [[nodiscard]] const PathStep& front() const noexcept { return all_[0]; }
    [[nodiscard]] const PathStep& back() const noexcept { return all_[size_ - 1]; }

private:
    static constexpr std::size_t kMore = 64;  ///< more than a unicast path has steps
    std::vector<PathStep> all_;
    std::uint32_t size_ = 0;
};

/// Scratch space: one is filled anew for each attempt.
struct PacketPath {
    PathSteps steps;
    Millicycles latency = 0;  ///< start to the first flit at the end of the path
    std::uint32_t hops = 0;   ///< links to the furthest end
    Millicycles slowest = 0;
    std::uint32_t slowest_resource = 0;

    void clear() noexcept {
        steps.clear();
        latency = 0;
        hops = 0;
        slowest = 0;
        slowest_resource = 0;
    }
    /// Seen from a head that has come `offset` far: negative offsets are behind it.
    void move_origin(Millicycles offset) noexcept {
        for (PathStep& step : steps) {
            step.offset -= offset;
        }
        latency -= offset;
    }
    void add(const PathStep& step) {
        steps.add(step);
        if (step.duration > slowest) {
            slowest = step.duration;
            slowest_resource = step.resource;
        }
    }
};

}  // namespace tessera::timing
