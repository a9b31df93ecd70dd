// SPDX-License-Identifier: Apache-2.0
#include "emu/timing/network/resource_table.hpp"

#include <algorithm>
#include <tuple>

namespace tessera::timing {

ResourceTable::ResourceTable(const ArchSpec& arch, std::uint32_t num_devices)
    : grid_(arch.noc.grid),
      num_banks_(arch.dram.num_banks),
      first_bank_(num_devices * 2 * grid_.columns * grid_.rows * 4),
      first_channel_(first_bank_ + num_devices * num_banks_),
      first_mesh_link_(first_channel_ + num_devices * num_banks_),
      first_mesh_router_(first_mesh_link_ + num_devices * kSendersPerDevice),
      all_(first_mesh_router_ + num_devices * kSendersPerDevice) {
    for (std::uint32_t number = 0; number < all_.size(); ++number) {
        kinds_.push_back(kind_by_number(number));
    }
}

// Numbers, not pointers: routes are lists of 16-bit integers, from which the number of a link and
// of its VC groups follow without a lookup (RouteTable).
ResourceKind ResourceTable::kind_by_number(std::uint32_t number) const noexcept {
    if (number >= first_mesh_link_) {
        return ResourceKind::MeshLink;
    }
    if (number >= first_bank_) {
        return ResourceKind::Dram;
    }
    switch (number % 4) {
        case 0:
            return ResourceKind::NocInjection;
        case 1:
            return ResourceKind::NocEjection;
        default:
            return ResourceKind::NocLink;
    }
}

ResourceUse ResourceTable::use(std::uint32_t number) const noexcept {
    const Resource& taken = all_[number];
    ResourceUse use{.kind = kinds_[number], .busy = taken.busy, .bytes = taken.bytes};
    if (use.kind == ResourceKind::MeshLink) {
        const std::uint32_t index = number - first_mesh_link_;
        use.device = static_cast<std::uint16_t>(index / kSendersPerDevice);
        use.direction = static_cast<std::uint8_t>(index % 4);
        use.node = {index % kSendersPerDevice / 4, 0};
    } else if (use.kind == ResourceKind::Dram) {
        const std::uint32_t index = number - first_bank_;
        use.device = static_cast<std::uint16_t>(index / num_banks_);
        use.node = {index % num_banks_, 0};
    } else {
        const std::uint32_t nodes = grid_.columns * grid_.rows;
        const std::uint32_t index = number / 4;
        use.device = static_cast<std::uint16_t>(index / nodes / 2);
        use.noc = static_cast<std::uint8_t>(index / nodes % 2);
        use.node = {index % nodes % grid_.columns, index % nodes / grid_.columns};
        use.direction = static_cast<std::uint8_t>(number % 4 == 3 ? 1 : 0);
    }
    return use;
}

std::vector<ResourceUse> ResourceTable::uses() const {
    std::vector<ResourceUse> uses;
    for (std::uint32_t number = 0; number < first_mesh_router_; ++number) {
        // A DRAM channel's use is that of its banks. Mesh routers have numbers above this range.
        const bool is_channel = number >= first_channel_ && number < first_mesh_link_;
        if (all_[number].busy > 0 && !is_channel) {
            uses.push_back(use(number));
        }
    }
    const auto key = [](const ResourceUse& u) {
        return std::tuple(u.kind, u.device, u.noc, u.node.y, u.node.x, u.direction);
    };
    std::ranges::sort(uses, {}, key);
    return uses;
}

}  // namespace tessera::timing
