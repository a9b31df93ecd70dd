// SPDX-License-Identifier: Apache-2.0
// One device: a grid of worker cores, DRAM banks and their allocators.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emu/core/core.hpp"
#include "emu/dram/bank_allocator.hpp"
#include "emu/dram/bank_memory.hpp"
#include "emu/mesh/noc_node.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/page_address.hpp"

namespace tessera {

class Mesh;

class Device {
public:
    /// `mesh` may be null for a device that stands alone.
    Device(const ArchSpec& arch, std::uint32_t id, Mesh* mesh = nullptr,
           WindowMapping mapping = WindowMapping::Apart);

    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
    [[nodiscard]] const ArchSpec& arch() const noexcept { return arch_; }
    [[nodiscard]] Mesh* mesh() const noexcept { return mesh_; }

    /// Core at a logical coordinate.  Preconditions  inside the compute grid.
    [[nodiscard]] Core& core(CoreCoord logical) const noexcept {
        return *cores_[logical.y * arch_.workers.compute.columns + logical.x];
    }
    [[nodiscard]] const std::vector<std::unique_ptr<Core>>& cores() const noexcept {
        return cores_;
    }
    /// What sits at a NoC coordinate.
    [[nodiscard]] const NocNode& node(CoreCoord noc) const noexcept { return nodes_.at(noc); }
    [[nodiscard]] const BankLayout& bank_layout() const noexcept { return banks_; }
    /// Core that holds L1 bank `bank` of interleaved L1 buffers.
    [[nodiscard]] Core& l1_bank(std::uint32_t bank) const noexcept {
        return core(banks_.l1_banks[bank]);
    }

    BankMemory dram;
    BankAllocator dram_allocator;
    BankAllocator l1_allocator;

private:
    ArchSpec arch_;
    std::uint32_t id_;
    Mesh* mesh_;
    WindowSpace windows_;
    std::vector<std::unique_ptr<Core>> cores_;  ///< row-major
    BankLayout banks_;
    NocNodeTable nodes_;
};

}  // namespace tessera
