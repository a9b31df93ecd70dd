// SPDX-License-Identifier: Apache-2.0
// Holds what one packet passes, and when: resources with the time from the packet's start to its
// first flit there, and how long it occupies each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

inline constexpr std::uint32_t kNoChannel = 0xFFFFFFFFU;

/// The port at which a packet enters a router.
enum class RouterInput : std::uint8_t { X, Y, Local };
inline constexpr std::size_t kRouterInputs = 3;

/// One resource of a path: from when and for how long a packet needs it.
struct Reservation {
    std::uint32_t resource = 0;
    Millicycles offset = 0;
    Millicycles duration = 0;
    std::uint32_t channel = kNoChannel;  ///< virtual channel to hold, of VirtualChannels
    RouterInput input{};                 ///< of the router in front
};

/// The part of a path through one network: an injection port, links, an ejection port. All links
/// are alike, so it is a route and a few times, not a list of reservations.
struct UnicastSegment {
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

/// The path into or out of DRAM: a bank and its channel.
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

/// Reservations in order: those of a unicast route, if there is one, and then single ones. Scratch
/// space: one is filled anew for each attempt, so that nothing is allocated.
class PacketPath {
public:
    Millicycles latency = 0;  ///< start to the first flit at the end of the path
    std::uint32_t hops = 0;   ///< links to the furthest end

    void clear() noexcept {
        unicast_.channels = {};
        singles_.clear();
        origin_ = 0;
        latency = 0;
        hops = 0;
        slowest_ = 0;
        slowest_resource_ = 0;
    }
    /// Precondition   clear; the route has both ports.
    void begin_with(const UnicastSegment& unicast) {
        unicast_ = unicast;
        note(unicast.injection, resource_of(0));
        if (unicast.channels.size() > 2) {
            note(unicast.link, resource_of(1));
        }
        note(unicast.ejection, resource_of(unicast.channels.size() - 1));
    }
    void add(std::uint32_t resource, Millicycles offset, Millicycles duration) {
        singles_.push_back({resource, offset, duration, kNoChannel, {}});
        note(duration, resource);
    }
    /// Adds a bank behind the rest of the path, from `offset` on.
    void add(const BankPath& bank, Millicycles offset) {
        bank.for_each([&](std::uint32_t resource, Millicycles, Millicycles duration) {
            add(resource, offset, duration);
        });
    }
    /// Counts offsets from a head that has come `offset` far: negative ones are behind it.
    void move_origin(Millicycles offset) noexcept {
        origin_ += offset;
        latency -= offset;
    }

    [[nodiscard]] std::uint32_t size() const noexcept {
        return static_cast<std::uint32_t>(unicast_.channels.size() + singles_.size());
    }
    [[nodiscard]] Reservation step(std::uint32_t i) const noexcept;
    /// Calls `visit(resource, offset, duration)` for each reservation.
    template <class Visit>
    void for_each(Visit visit) const;
    [[nodiscard]] const UnicastSegment& unicast() const noexcept { return unicast_; }
    [[nodiscard]] Millicycles origin() const noexcept { return origin_; }
    /// Returns the longest duration; slowest_resource() is the first resource that takes it.
    [[nodiscard]] Millicycles slowest() const noexcept { return slowest_; }
    [[nodiscard]] std::uint32_t slowest_resource() const noexcept { return slowest_resource_; }

private:
    [[nodiscard]] std::uint32_t resource_of(std::size_t i) const noexcept {
        return unicast_.resource_of(i);
    }
    [[nodiscard]] Millicycles offset_of(std::size_t i) const noexcept {
        const auto passed = static_cast<Millicycles>(i) - 1;
        return (i == 0 ? 0 : unicast_.interface + passed * unicast_.hop) - origin_;
    }
    [[nodiscard]] Millicycles duration_of(std::size_t i) const noexcept {
        return i == 0                              ? unicast_.injection
               : i + 1 == unicast_.channels.size() ? unicast_.ejection
                                                   : unicast_.link;
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

    UnicastSegment unicast_;
    std::vector<Reservation> singles_;
    Millicycles origin_ = 0;
    Millicycles slowest_ = 0;
    std::uint32_t slowest_resource_ = 0;
};

inline Reservation PacketPath::step(std::uint32_t i) const noexcept {
    const std::size_t length = unicast_.channels.size();
    if (i >= length) {
        Reservation step = singles_[i - length];
        step.offset -= origin_;
        return step;
    }
    if (i == 0) {
        return {resource_of(0), -origin_, unicast_.injection, kNoChannel, {}};
    }
    return {resource_of(i), offset_of(i), duration_of(i), unicast_.base + unicast_.channels[i],
            input_of(i)};
}

template <class Visit>
void PacketPath::for_each(Visit visit) const {
    if (!unicast_.channels.empty()) {
        const std::size_t last = unicast_.channels.size() - 1;
        visit(resource_of(0), -origin_, unicast_.injection);
        Millicycles offset = unicast_.interface - origin_;
        for (std::size_t i = 1; i < last; ++i, offset += unicast_.hop) {
            visit(resource_of(i), offset, unicast_.link);
        }
        visit(resource_of(last), offset, unicast_.ejection);
    }
    for (const Reservation& step : singles_) {
        visit(step.resource, step.offset - origin_, step.duration);
    }
}

}  // namespace tessera::timing
