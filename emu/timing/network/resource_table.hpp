// SPDX-License-Identifier: Apache-2.0
// Numbers every shared resource that transfers pass: ports and links of the NoCs, DRAM banks and
// channels, mesh links and the routers at their ends. Each serves one packet at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/timing/network/calendar.hpp"
#include "emu/timing/network/noc_route.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/timeline.hpp"

namespace tessera::timing {

/// No transfer, or no resource.
inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

/// Aligned to lines of a cache, of which it takes two: what a packet passes is not in the fastest
/// cache as a rule.
struct alignas(64) Resource {
    Calendar calendar;
    std::uint32_t first_waiting = kNone;  ///< queued transfers
    std::uint32_t last_waiting = kNone;
    std::uint32_t num_granted = 0;    ///< packets on virtual channels that go as soon as it is free
    std::uint32_t shared_taken = 0;   ///< of the far router's buffer: a RouterBuffer's
    std::uint32_t free_requests = 0;  ///< of a port: how many more it accepts before it answers
    bool is_past_next = false;        ///< of a port: those past the dateline come first
    Millicycles busy = 0;             ///< how long, and with how many bytes
    std::uint64_t bytes = 0;

    void occupy(Millicycles duration, std::uint64_t with_bytes) noexcept {
        busy += duration;
        bytes += with_bytes;
    }
};

class ResourceTable {
public:
    ResourceTable(const ArchSpec& arch, std::uint32_t num_devices);

    [[nodiscard]] Resource& operator[](std::uint32_t number) noexcept { return all_[number]; }
    void occupy(std::uint32_t number, Millicycles duration, std::uint64_t bytes) noexcept {
        all_[number].occupy(duration, bytes);
    }

    /// Returns the number of a node's port, counted from the first of its network.
    [[nodiscard]] static constexpr std::uint32_t injection(std::uint32_t node) noexcept {
        return 4 * node;
    }
    [[nodiscard]] static constexpr std::uint32_t ejection(std::uint32_t node) noexcept {
        return 4 * node + 1;
    }
    [[nodiscard]] static constexpr std::uint32_t link(std::uint32_t node, NocAxis axis) noexcept {
        return 4 * node + 2 + static_cast<std::uint32_t>(axis);
    }
    /// Returns the number of a network's first port.
    [[nodiscard]] std::uint32_t network(std::uint32_t device, std::uint32_t noc) const noexcept {
        return (device * 2 + noc) * grid_.columns * grid_.rows * 4;
    }

    [[nodiscard]] std::uint32_t injection(std::uint32_t device, std::uint32_t noc,
                                          CoreCoord node) const noexcept {
        return network(device, noc) + injection(number_of(node));
    }
    [[nodiscard]] std::uint32_t ejection(std::uint32_t device, std::uint32_t noc,
                                         CoreCoord node) const noexcept {
        return network(device, noc) + ejection(number_of(node));
    }
    [[nodiscard]] std::uint32_t link(std::uint32_t device, std::uint32_t noc, CoreCoord node,
                                     NocAxis axis) const noexcept {
        return network(device, noc) + link(number_of(node), axis);
    }
    [[nodiscard]] std::uint32_t bank(std::uint32_t device, std::uint32_t index) const noexcept {
        return first_bank_ + device * num_banks_ + index;
    }
    [[nodiscard]] std::uint32_t channel(std::uint32_t device, std::uint32_t index) const noexcept {
        return first_channel_ + device * num_banks_ + index;
    }
    /// `sender` as in a Request: direction + 4 · link.
    [[nodiscard]] std::uint32_t mesh_link(std::uint32_t device,
                                          std::uint32_t sender) const noexcept {
        return first_mesh_link_ + device * kSendersPerDevice + sender;
    }
    /// Returns the router at the near end of a mesh link, which sends and receives.
    [[nodiscard]] std::uint32_t mesh_router(std::uint32_t device,
                                            std::uint32_t sender) const noexcept {
        return first_mesh_router_ + device * kSendersPerDevice + sender;
    }
    /// Returns how many ports and links the NoCs have; they are numbered first.
    [[nodiscard]] std::uint32_t num_ports() const noexcept { return first_bank_; }
    [[nodiscard]] ResourceKind kind(std::uint32_t number) const noexcept { return kinds_[number]; }
    /// Returns the resources that were used, sorted by (kind, device, noc, node, direction);
    /// channels and routers are left out, whose time their banks and links show.
    [[nodiscard]] std::vector<ResourceUse> uses() const;

    static constexpr std::uint32_t kSendersPerDevice = kLinkDirections.size() * kLinksPerDirection;

private:
    [[nodiscard]] std::uint32_t number_of(CoreCoord node) const noexcept {
        return node.y * grid_.columns + node.x;
    }
    [[nodiscard]] ResourceKind kind_by_number(std::uint32_t number) const noexcept;
    [[nodiscard]] ResourceUse use(std::uint32_t number) const noexcept;

    GridSize grid_;
    std::uint32_t num_banks_;
    std::uint32_t first_bank_;
    std::uint32_t first_channel_;
    std::uint32_t first_mesh_link_;
    std::uint32_t first_mesh_router_;
    std::vector<Resource> all_;
    std::vector<ResourceKind> kinds_;
};

}  // namespace tessera::timing
