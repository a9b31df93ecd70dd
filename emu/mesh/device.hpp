// SPDX-License-Identifier: Apache-2.0
// One device: a grid of worker cores, DRAM banks and their allocators.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emu/core/core.hpp"
#include "emu/dram/bank_allocator.hpp"
#include "emu/dram/bank_memory.hpp"
#include "emu/dram/dram_tensors.hpp"
#include "tessera/arch_spec.hpp"
#include "tessera/page_address.hpp"
#include "tessera/program.hpp"

namespace tessera {

class Mesh;

/// Kind of node at a NoC coordinate of a device.
enum class NocNodeKind : std::uint8_t { Nothing, Worker, Dram };

struct NocNode {
    NocNodeKind kind = NocNodeKind::Nothing;
    Core* core = nullptr;              ///< for Worker
    std::vector<std::uint32_t> banks;  ///< for Dram: banks of this node, by offset
};

/// Indexed by the 6-bit x and y of a NoC address.
class NocNodeTable {
public:
    void add_worker(CoreCoord noc, Core& core);
    /// Errors   InternalError if a worker has the bank's coordinate.
    void add_banks(const DramSpec& dram);
    [[nodiscard]] const NocNode& at(CoreCoord noc) const noexcept {
        return nodes_[(noc.y & 63U) * 64 + (noc.x & 63U)];
    }

private:
    void add_bank(CoreCoord noc, std::uint32_t bank);

    std::vector<NocNode> nodes_ = std::vector<NocNode>(std::size_t{64} * 64);
};

class Device {
public:
    /// Makes a device; `mesh` is null for a single device.
    Device(const ArchSpec& arch, std::uint32_t id, Mesh* mesh = nullptr);

    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }
    [[nodiscard]] const ArchSpec& arch() const noexcept { return arch_; }
    [[nodiscard]] Mesh* mesh() const noexcept { return mesh_; }

    /// Returns the core at a logical coordinate.  Preconditions  inside the compute grid.
    [[nodiscard]] Core& core(CoreCoord logical) const noexcept {
        return *cores_[logical.y * arch_.workers.compute.columns + logical.x];
    }
    [[nodiscard]] const std::vector<std::unique_ptr<Core>>& cores() const noexcept {
        return cores_;
    }
    /// Returns the node at a NoC coordinate.
    [[nodiscard]] const NocNode& node(CoreCoord noc) const noexcept { return nodes_.at(noc); }
    [[nodiscard]] const BankLayout& bank_layout() const noexcept { return banks_; }
    /// Returns the core that holds L1 bank `bank` of interleaved L1 buffers.
    [[nodiscard]] Core& l1_bank(std::uint32_t bank) const noexcept {
        return core(banks_.l1_banks[bank]);
    }

    BankMemory dram;
    DramTensors dram_tensors;
    BankAllocator dram_allocator;
    BankAllocator l1_allocator;
    /// By id: whether the running program created this semaphore, on any of its cores.
    std::vector<bool> has_semaphore;
    /// Named semaphores of the running program.
    std::vector<SemaphoreDescription> named_semaphores;

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
