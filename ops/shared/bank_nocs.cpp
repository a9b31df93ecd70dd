// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/bank_nocs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "tessera/core_coord.hpp"

namespace tessera::ops {
namespace {

/// Reads by one core of one bank.
struct Flow {
    std::size_t core;
    std::uint32_t bank;
    std::array<CoreCoord, 2> from;  ///< node of the bank, by NoC
    CoreCoord to;
    std::uint32_t noc = 0;
};

/// Flows on each link of both NoCs.
class LinkLoads {
public:
    explicit LinkLoads(GridSize grid)
        : grid_(grid), loads_(std::size_t{4} * grid.columns * grid.rows) {}

    void add(const Flow& flow, std::int64_t count) {
        visit(flow, flow.noc, [&](std::int64_t& load) { load += count; });
    }
    [[nodiscard]] std::int64_t fullest() const { return *std::ranges::max_element(loads_); }
    /// Returns what the flow would add to the sum over all links of load⁴, in which the fullest
    /// links count most.
    [[nodiscard]] double cost(const Flow& flow, std::uint32_t noc) {
        const auto power = [](std::int64_t load) {
            const auto square = static_cast<double>(load) * static_cast<double>(load);
            return square * square;
        };
        double sum = 0;
        visit(flow, noc, [&](std::int64_t load) { sum += power(load + 1) - power(load); });
        return sum;
    }

private:
    /// Calls `act` with the load of each link of a flow's way. NoC 0 runs to the right, then down;
    /// NoC 1 runs up, then to the left.
    template <class Act>
    void visit(const Flow& flow, std::uint32_t noc, Act act) {
        auto [x, y] = flow.from[noc];
        const auto move_x = [&] {
            for (; x != flow.to.x;
                 x = noc == 0 ? after(x, grid_.columns) : before(x, grid_.columns)) {
                act(load(noc, 0, x, y));
            }
        };
        const auto move_y = [&] {
            for (; y != flow.to.y; y = noc == 0 ? after(y, grid_.rows) : before(y, grid_.rows)) {
                act(load(noc, 1, x, y));
            }
        };
        if (noc == 0) {
            move_x();
            move_y();
        } else {
            move_y();
            move_x();
        }
    }
    static std::uint32_t after(std::uint32_t place, std::uint32_t extent) {
        return place + 1 == extent ? 0 : place + 1;
    }
    static std::uint32_t before(std::uint32_t place, std::uint32_t extent) {
        return place == 0 ? extent - 1 : place - 1;
    }
    std::int64_t& load(std::uint32_t noc, std::uint32_t axis, std::size_t x, std::size_t y) {
        return loads_[((std::size_t{noc} * 2 + axis) * grid_.rows + y) * grid_.columns + x];
    }

    GridSize grid_;
    std::vector<std::int64_t> loads_;
};

std::vector<Flow> flows_of(const ArchSpec& arch) {
    // A model without physical coordinates has cores at their logical ones.
    const auto place = [](const std::vector<std::uint32_t>& places, std::uint32_t index) {
        return index < places.size() ? places[index] : index;
    };
    const GridSize grid = arch.workers.compute;
    std::vector<Flow> flows;
    for (std::uint32_t y = 0; y < grid.rows; ++y) {
        for (std::uint32_t x = 0; x < grid.columns; ++x) {
            const CoreCoord to{place(arch.workers.noc_columns, x), place(arch.workers.noc_rows, y)};
            for (std::uint32_t bank = 0; bank < arch.dram.num_banks; ++bank) {
                const DramEndpoint& from = arch.dram.endpoints[bank];
                flows.push_back({.core = std::size_t{y} * grid.columns + x,
                                 .bank = bank,
                                 .from = {from.physical, from.physical1},
                                 .to = to});
            }
        }
    }
    return flows;
}

}  // namespace

std::vector<std::uint32_t> banks_over_noc1(const ArchSpec& arch) {
    const GridSize grid = arch.workers.compute;
    std::vector<std::uint32_t> banks(std::size_t{grid.columns} * grid.rows);
    constexpr std::uint32_t kMostBanks = 32;
    if (arch.dram.num_banks > kMostBanks) {
        return banks;
    }
    std::vector<Flow> flows = flows_of(arch);
    LinkLoads loads(arch.noc.grid);
    for (const Flow& flow : flows) {
        loads.add(flow, 1);
    }
    // On Wormhole and Blackhole a link is faster than a bank. Other devices are treated alike.
    if (loads.fullest() <= static_cast<std::int64_t>(banks.size())) {
        return banks;
    }
    // Each flow takes the better NoC in view of the others. More passes change little.
    constexpr int kPasses = 4;
    for (int pass = 0; pass < kPasses; ++pass) {
        for (Flow& flow : flows) {
            loads.add(flow, -1);
            flow.noc = loads.cost(flow, 1) < loads.cost(flow, 0) ? 1 : 0;
            loads.add(flow, 1);
        }
    }
    for (const Flow& flow : flows) {
        banks[flow.core] |= flow.noc << flow.bank;
    }
    return banks;
}

}  // namespace tessera::ops
