// SPDX-License-Identifier: Apache-2.0
// Paths of one packet: the resources that it uses, when its first flit reaches each of them, and
// how long it occupies each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emu/timing/network/ids.hpp"
#include "tessera/timeline.hpp"

namespace tessera::timing {

/// Port through which a packet enters a router.
enum class RouterInput : std::uint8_t { X, Y, Local };
inline constexpr std::size_t kRouterInputs = 3;

/// Kind of a hop. Ports and links pass the same bytes in different times.
enum class HopKind : std::uint8_t { Injection, Link, Ejection };

/// Use of one resource by a packet. `offset` is counted from the start of the packet.
struct Reservation {
    ResourceId resource{};
    Millicycles offset = 0;
    Millicycles duration = 0;
};

/// Route of a unicast packet through one NoC: injection port, links, ejection port. All links take
/// the same time, so a route is a list of virtual channels and a few durations. It has no list of
/// reservations.
struct UnicastRoute {
    const std::uint16_t* channels = nullptr;  ///< row of a RouteTable, one entry per hop
    std::uint32_t num_hops = 0;
    std::uint32_t base = 0;     ///< first VC group of the packet's class in the packet's network
    Millicycles slot = 0;       ///< shortest occupation of the injection port
    Millicycles injection = 0;  ///< duration of the bytes at the injection port
    Millicycles link = 0;       ///< duration of the bytes on a link
    Millicycles ejection = 0;   ///< duration of the bytes at the ejection port

    [[nodiscard]] std::uint32_t size() const noexcept { return num_hops; }
    [[nodiscard]] std::uint32_t last() const noexcept { return num_hops - 1; }
    /// Returns the VC group that the packet uses at a hop.
    [[nodiscard]] VcGroup group_of(std::uint32_t hop) const noexcept {
        return VcGroup{base + kVcGroupsPerSide * channels[hop]};
    }
    [[nodiscard]] LinkId link_of(std::uint32_t hop) const noexcept {
        return timing::link_of(group_of(hop));
    }
    [[nodiscard]] HopKind kind_of(std::uint32_t hop) const noexcept {
        return hop == 0 ? HopKind::Injection : hop == last() ? HopKind::Ejection : HopKind::Link;
    }
    [[nodiscard]] Millicycles duration_of(HopKind of) const noexcept {
        return of == HopKind::Link       ? link
               : of == HopKind::Ejection ? ejection
                                         : std::max(injection, slot);
    }
    /// Returns the router port through which the packet comes to a hop. Each node has four links:
    /// injection, ejection, x, y.
    [[nodiscard]] RouterInput input_of(std::uint32_t hop) const noexcept {
        constexpr std::uint32_t kLinksPerNode = 4;
        constexpr std::uint32_t kLinkY = 3;
        return hop < 2                                                ? RouterInput::Local
               : index_of(link_of(hop - 1)) % kLinksPerNode == kLinkY ? RouterInput::Y
                                                                      : RouterInput::X;
    }
    /// Returns the first of the hops at which the bytes take longest. `slot` does not count: it
    /// delays the next packet, not these bytes.
    [[nodiscard]] std::uint32_t slowest_hop() const noexcept {
        const bool is_link = size() > 2 && link > injection;
        return ejection > (is_link ? link : injection) ? last() : is_link ? 1 : 0;
    }
    [[nodiscard]] Millicycles slowest() const noexcept {
        return std::max({injection, size() > 2 ? link : 0, ejection});
    }
};

/// Path into or out of DRAM: a bank and its channel.
struct BankPath {
    ResourceId bank{};
    ResourceId channel{};
    Millicycles on_bank = 0;     ///< duration of the access at the bank
    Millicycles on_channel = 0;  ///< duration of the access at the channel

    /// Calls `visit(resource, offset, duration)` for each reservation.
    template <class Visit>
    void for_each(Visit visit) const {
        visit(bank, Millicycles{0}, on_bank);
        visit(channel, Millicycles{0}, on_channel);
    }
    [[nodiscard]] Millicycles slowest() const noexcept { return std::max(on_bank, on_channel); }
};

/// Reservations that a packet makes all at once, in order. Objects are reused, because a new vector
/// for each attempt would allocate memory.
class PacketPath {
public:
    Millicycles latency = 0;  ///< start to the first flit at the end of the path
    std::uint32_t hops = 0;   ///< links to the furthest end

    void clear() noexcept {
        steps_.clear();
        latency = 0;
        hops = 0;
        slowest_ = 0;
        slowest_resource_ = {};
    }
    void add(ResourceId resource, Millicycles offset, Millicycles duration) {
        steps_.push_back({resource, offset, duration});
        if (duration > slowest_) {
            slowest_ = duration;
            slowest_resource_ = resource;
        }
    }
    void add(LinkId link, Millicycles offset, Millicycles duration) {
        add(resource_of(link), offset, duration);
    }
    /// Appends a bank, which the packet reaches at `offset`.
    void add(const BankPath& bank, Millicycles offset) {
        bank.for_each([&](ResourceId resource, Millicycles, Millicycles duration) {
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
    [[nodiscard]] ResourceId slowest_resource() const noexcept { return slowest_resource_; }

private:
    std::vector<Reservation> steps_;
    Millicycles slowest_ = 0;
    ResourceId slowest_resource_{};
};

}  // namespace tessera::timing
