// SPDX-License-Identifier: Apache-2.0
#include "emu/mesh/noc_node.hpp"

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

}  // namespace tessera
