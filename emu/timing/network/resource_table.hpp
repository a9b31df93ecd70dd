// SPDX-License-Identifier: Apache-2.0
// Table of every shared resource that transfers pass: ports and links of the NoCs, DRAM banks and
// channels, mesh links and the routers at their ends. Each serves one packet at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "emu/base/noc_route.hpp"
#include "emu/timing/network/calendar.hpp"
#include "emu/timing/network/ids.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/mesh_links.hpp"
#include "tessera/timeline.hpp"

namespace tessera::timing {

/// State of one resource. Aligned to cache lines, of which it takes two: a replay has too many
/// resources for the L1 cache, so each hop loads these lines.
struct alignas(64) Resource {
    Calendar calendar;
    TransferId first_waiting = kNoTransfer;  ///< transfers that wait for it (ResourceQueues)
    TransferId last_waiting = kNoTransfer;
    std::uint32_t num_granted = 0;    ///< packets on VCs that wait for the wire and have an event
    std::uint32_t shared_taken = 0;   ///< bytes of the far router's shared buffer (RouterBuffer)
    std::uint32_t free_requests = 0;  ///< ports: read requests accepted before the next answer
    bool is_past_next = false;        ///< ports: requests past the dateline are served first
    Millicycles busy = 0;             ///< sum of occupations
    std::uint64_t bytes = 0;          ///< sum of the bytes in them

    /// Counts an occupation, which the calendar has booked.
    void occupy(Millicycles duration, std::uint64_t with_bytes) noexcept {
        busy += duration;
        bytes += with_bytes;
    }
};

class ResourceTable {
public:
    ResourceTable(const ArchSpec& arch, std::uint32_t num_devices);

    [[nodiscard]] Resource& operator[](ResourceId id) noexcept { return all_[index_of(id)]; }

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
    /// Returns the number of a network's first port; a network is one NoC of one device.
    [[nodiscard]] std::uint32_t network(std::uint32_t device, std::uint32_t noc) const noexcept {
        return (device * 2 + noc) * grid_.columns * grid_.rows * 4;
    }

    [[nodiscard]] LinkId injection(std::uint32_t device, std::uint32_t noc,
                                   CoreCoord node) const noexcept {
        return LinkId{network(device, noc) + injection(number_of(node))};
    }
    [[nodiscard]] LinkId ejection(std::uint32_t device, std::uint32_t noc,
                                  CoreCoord node) const noexcept {
        return LinkId{network(device, noc) + ejection(number_of(node))};
    }
    /// Returns the link that leaves `node` along `axis`.
    [[nodiscard]] LinkId link(std::uint32_t device, std::uint32_t noc, CoreCoord node,
                              NocAxis axis) const noexcept {
        return LinkId{network(device, noc) + link(number_of(node), axis)};
    }
    [[nodiscard]] ResourceId bank(std::uint32_t device, std::uint32_t index) const noexcept {
        return ResourceId{first_bank_ + device * num_banks_ + index};
    }
    [[nodiscard]] ResourceId channel(std::uint32_t device, std::uint32_t index) const noexcept {
        return ResourceId{first_channel_ + device * num_banks_ + index};
    }
    /// Returns the wire of a mesh link. `sender` as in a Request: direction + 4 · link.
    [[nodiscard]] ResourceId mesh_link(std::uint32_t device, std::uint32_t sender) const noexcept {
        return ResourceId{first_mesh_link_ + device * kSendersPerDevice + sender};
    }
    /// Returns the router at the near end of a mesh link, which sends and receives.
    [[nodiscard]] ResourceId mesh_router(std::uint32_t device,
                                         std::uint32_t sender) const noexcept {
        return ResourceId{first_mesh_router_ + device * kSendersPerDevice + sender};
    }
    /// Returns the number of ports and links of all NoCs. These have the lowest numbers.
    [[nodiscard]] std::uint32_t num_links() const noexcept { return first_bank_; }
    [[nodiscard]] ResourceKind kind(ResourceId id) const noexcept { return kinds_[index_of(id)]; }
    /// Returns the resources that were used, sorted by (kind, device, noc, node, direction). DRAM
    /// channels and mesh routers are left out: their banks and links show their time.
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
