// SPDX-License-Identifier: Apache-2.0
// Holds what one packet passes, and when: resources with the time from the packet's start to its
// first flit there, and how long it occupies each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/timeline.hpp"

namespace tessera::timing {

/// The port at which a packet enters a router.
enum class RouterInput : std::uint8_t { X, Y, Local };
inline constexpr std::size_t kRouterInputs = 3;

/// What a hop of a route is: ports take other times than links.
enum class HopKind : std::uint8_t { Injection, Link, Ejection };

/// One resource of a path: from when and for how long a packet needs it.
struct Reservation {
    std::uint32_t resource = 0;
    Millicycles offset = 0;
    Millicycles duration = 0;
};

/// The route of a unicast packet through one network: an injection port, links, an ejection port.
/// All links are alike, so it is a list of channels and a few times, not one of reservations.
struct UnicastRoute {
    const std::uint16_t* channels = nullptr;  ///< of a RouteTable
    std::uint32_t num_hops = 0;
    std::uint32_t base = 0;     ///< first channels of the network that a packet of its class takes
    Millicycles slot = 0;       ///< of the injection port, at least
    Millicycles injection = 0;  ///< durations
    Millicycles link = 0;
    Millicycles ejection = 0;

    [[nodiscard]] std::uint32_t size() const noexcept { return num_hops; }
    [[nodiscard]] std::uint32_t last() const noexcept { return num_hops - 1; }
    /// Returns the number of a hop's channels, over all networks and classes.
    [[nodiscard]] std::uint32_t channels_of(std::uint32_t hop_index) const noexcept {
        return base + 2U * channels[hop_index];
    }
    [[nodiscard]] std::uint32_t resource_of(std::uint32_t hop_index) const noexcept {
        return channels_of(hop_index) / 4;
    }
    [[nodiscard]] HopKind kind_of(std::uint32_t hop_index) const noexcept {
        return hop_index == 0        ? HopKind::Injection
               : hop_index == last() ? HopKind::Ejection
                                     : HopKind::Link;
    }
    [[nodiscard]] Millicycles duration_of(HopKind of) const noexcept {
        return of == HopKind::Link       ? link
               : of == HopKind::Ejection ? ejection
                                         : std::max(injection, slot);
    }
    [[nodiscard]] RouterInput input_of(std::uint32_t hop_index) const noexcept {
        constexpr std::uint32_t kLinkY = 3;
        return hop_index < 2                              ? RouterInput::Local
               : resource_of(hop_index - 1) % 4 == kLinkY ? RouterInput::Y
                                                          : RouterInput::X;
    }
    /// Returns the hop at which the bytes take longest, the first if several do. A slot that is
    /// longer than they are holds up what comes next, not them.
    [[nodiscard]] std::uint32_t slowest_hop() const noexcept {
        const bool is_link = size() > 2 && link > injection;
        return ejection > (is_link ? link : injection) ? last() : is_link ? 1 : 0;
    }
    [[nodiscard]] Millicycles slowest() const noexcept {
        return std::max({injection, size() > 2 ? link : 0, ejection});
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

/// Reservations in order, all of which a packet takes at once. Scratch space: one is filled anew
/// for each attempt, so that nothing is allocated.
class PacketPath {
public:
    Millicycles latency = 0;  ///< start to the first flit at the end of the path
    std::uint32_t hops = 0;   ///< links to the furthest end

    void clear() noexcept {
        steps_.clear();
        latency = 0;
        hops = 0;
        slowest_ = 0;
        slowest_resource_ = 0;
    }
    void add(std::uint32_t resource, Millicycles offset, Millicycles duration) {
        steps_.push_back({resource, offset, duration});
        if (duration > slowest_) {
            slowest_ = duration;
            slowest_resource_ = resource;
        }
    }
    /// Adds a bank behind the rest of the path, from `offset` on.
    void add(const BankPath& bank, Millicycles offset) {
        bank.for_each([&](std::uint32_t resource, Millicycles, Millicycles duration) {
            add(resource, offset, duration);
        });
    }
    /// Calls `visit(resource, offset, duration)` for each reservation.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const Reservation& step : steps_) {
            visit(step.resource, step.offset, step.duration);
        }
    }
    [[nodiscard]] const Reservation& front() const noexcept { return steps_.front(); }
    /// Returns the longest duration; slowest_resource() is the first resource that takes it.
    [[nodiscard]] Millicycles slowest() const noexcept { return slowest_; }
    [[nodiscard]] std::uint32_t slowest_resource() const noexcept { return slowest_resource_; }

private:
    std::vector<Reservation> steps_;
    Millicycles slowest_ = 0;
    std::uint32_t slowest_resource_ = 0;
};

}  // namespace tessera::timing
