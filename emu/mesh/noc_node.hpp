// SPDX-License-Identifier: Apache-2.0
// What answers at each NoC coordinate of a device.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/arch_spec.hpp"
#include "tessera/core_coord.hpp"

namespace tessera {

class Core;

enum class NocNodeKind : std::uint8_t { Nothing, Worker, Dram };

struct NocNode {
    NocNodeKind kind = NocNodeKind::Nothing;
    Core* core = nullptr;              ///< Worker
    std::vector<std::uint32_t> banks;  ///< Dram: banks behind this node, by offset
};

/// Indexed by the 6-bit x and y of a NoC address.
class NocNodeTable {
public:
    void add_worker(CoreCoord noc, Core& core);
    /// Errors   InternalError if a worker sits at the bank's coordinate.
    void add_banks(const DramSpec& dram);
    [[nodiscard]] const NocNode& at(CoreCoord noc) const noexcept {
        return nodes_[(noc.y & 63U) * 64 + (noc.x & 63U)];
    }

private:
    void add_bank(CoreCoord noc, std::uint32_t bank);

    std::vector<NocNode> nodes_ = std::vector<NocNode>(std::size_t{64} * 64);
};

}  // namespace tessera
