// SPDX-License-Identifier: Apache-2.0
#include "emu/mesh/device.hpp"

#include "emu/dram/tensor_buffer.hpp"
#include "tessera/errors.hpp"

namespace tessera {

void NocNodeTable::add_worker(CoreCoord noc, Core& core) {
    NocNode& node = nodes_[(noc.y & 63U) * 64 + (noc.x & 63U)];
    node.kind = NocNodeKind::Worker;
    node.core = &core;
}

void NocNodeTable::add_bank(CoreCoord noc, std::uint32_t bank) {
    NocNode& node = nodes_[(noc.y & 63U) * 64 + (noc.x & 63U)];
    ensure(node.kind != NocNodeKind::Worker, "DRAM bank {} and a worker share NoC node {}", bank,
           to_string(noc));
    node.kind = NocNodeKind::Dram;
    node.banks.push_back(bank);
}

void NocNodeTable::add_banks(const DramSpec& dram) {
    for (std::uint32_t bank = 0; bank < dram.num_banks; ++bank) {
        add_bank(dram.endpoints[bank].noc, bank);
        if (dram.endpoints[bank].noc1 != dram.endpoints[bank].noc) {
            add_bank(dram.endpoints[bank].noc1, bank);
        }
    }
}

Device::Device(const ArchSpec& arch, std::uint32_t id, Mesh* mesh)
    : dram(arch.dram),
      dram_tensors(arch.dram.num_banks),
      dram_allocator(make_allocator(arch, BufferType::DRAM, id)),
      l1_allocator(make_allocator(arch, BufferType::L1, id)),
      arch_(arch),
      id_(id),
      mesh_(mesh),
      windows_(std::size_t{arch.workers.compute.columns} * arch.workers.compute.rows),
      banks_(make_bank_layout(arch)) {
    const auto [columns, rows] = arch_.workers.compute;
    for (std::uint32_t y = 0; y < rows; ++y) {
        for (std::uint32_t x = 0; x < columns; ++x) {
            cores_.push_back(std::make_unique<Core>(*this, arch_, CoreCoord{x, y},
                                                    windows_.window(cores_.size())));
            nodes_.add_worker(cores_.back()->virtual_coord(), *cores_.back());
        }
    }
    nodes_.add_banks(arch_.dram);
}

}  // namespace tessera
